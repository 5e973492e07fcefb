"""What NumPy returns as a scalar: its own, or one computed when read where code only calculates."""

from __future__ import annotations

import decimal
import fractions
import io
import json
import math
import pickle
import re
import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import agree, outcome, same
from hassium import _core


@pytest.fixture(autouse=True, params=["ready", "pending"])
def ready(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether operations run at the call, so that their values are there."""
    with hassium.config(eager_elements=64 if request.param == "ready" else 0):
        yield request.param == "ready"


def reduced(array: Any, name: str = "sum") -> Any:
    """A reduction that stays pending, whatever the caller does with it, if its operand does."""
    with hassium.config(lazy_scalars="on"):
        return getattr(array, name)()


@pytest.fixture(params=["i8", "f8", "f4", "c16", "?"])
def pair(ready: bool, request: pytest.FixtureRequest) -> tuple[Any, Any]:
    values = numpy.array([1, 0, 1, 1]).astype(request.param)
    return values.max(), reduced(_core.array(values), "max")


def test_it_passes_for_numpys(pair: tuple[Any, Any], ready: bool) -> None:
    expected, scalar = pair
    assert type(scalar) is (type(expected) if ready else _core.scalar)
    assert isinstance(scalar, type(expected))
    assert isinstance(scalar, float) == isinstance(expected, float)
    assert numpy.isscalar(scalar)
    assert (scalar.dtype, scalar.shape, scalar.ndim) == (expected.dtype, (), 0)


def test_text_hash_and_truth(pair: tuple[Any, Any]) -> None:
    expected, scalar = pair
    assert repr(scalar) == repr(expected)
    assert str(scalar) == str(expected)
    assert f"{scalar}" == f"{expected}"
    assert hash(scalar) == hash(expected)
    assert {scalar: 1}[expected] == 1
    assert bool(scalar) == bool(expected)
    assert scalar.item() == expected.item()
    assert scalar.tolist() == expected.tolist()
    assert scalar == expected
    assert bool(scalar != expected) is False


def test_arithmetic_gives_scalars(ready: bool) -> None:
    scalar = reduced(_core.arange(5.0))

    with hassium.config(lazy_scalars="on"):
        total = _core.arange(5.0).sum() / 4 + 1
    assert type(total) is (numpy.float64 if ready else _core.scalar)
    assert total == 3.5
    assert f"{total:.3f}" == "3.500"
    assert math.sqrt(scalar + 6) == 4
    assert round(scalar / 3, 2) == 3.33
    assert math.floor(total) == 3
    assert (2 * scalar, scalar**2, -scalar, abs(-scalar)) == (20, 100, -10, 10)
    assert (scalar > 3, scalar < 3) == (True, False)
    assert scalar.is_integer()
    assert (type(scalar + _core.zeros(2)), (scalar + _core.zeros(2)).tolist()) == (
        _core.ndarray,
        [10, 10],
    )
    assert numpy.float64(1) + scalar == 11
    assert [10, 20, 30][_core.arange(3).argmax()] == 30
    assert list(range(_core.arange(3).sum())) == [0, 1, 2]


def sums() -> list[Any]:
    dtypes = ("f8", "f4", "i8", "u1", "?", "D")
    return [_core.array([1, 2, 0]).astype(dtype).max() for dtype in dtypes]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: [0] * x,
        lambda x: x * "ab",
        lambda x: x * (1, 2),
        lambda x: (x.numerator, x.denominator),
        lambda x: fractions.Fraction(x),
        lambda x: math.floor(x),
        lambda x: math.ceil(x / 4),
        lambda x: math.trunc(x),
        lambda x: round(x, 1),
        lambda x: x.byteswap(),
        lambda x: pickle.loads(x.dumps()),
        lambda x: x.no_such_attribute,
    ],
)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_python_asks_of_numbers(call: Callable[[Any], Any]) -> None:
    for scalar in sums():
        theirs = scalar[()]
        assert isinstance(theirs, numpy.generic)
        agree(lambda theirs=theirs: call(theirs), lambda scalar=scalar: call(scalar))


def test_what_asks_for_floats_takes_those_that_are_there() -> None:
    with hassium.config(eager_elements=64):
        array = hassium.array([1.0, 2.0, 6.0])
        for scalar in (array.sum(), array.mean(), hassium.sqrt(array[1:].max() + 3), array @ array):
            assert json.loads(json.dumps({"value": scalar}))["value"] == float(scalar)
            assert decimal.Decimal(scalar) == decimal.Decimal(float(scalar))


@pytest.mark.parametrize("keywords", [{}, {"indent": 1}, {"default": str}, {"allow_nan": False}])
@pytest.mark.parametrize("number", [2.5, math.inf])
def test_json_takes_scalars(number: float, keywords: dict[str, Any]) -> None:
    def written(values: Any) -> str:
        return json.dumps({"one": (values + 1).sum(), "all": [values.max(), 3]}, **keywords)

    def streamed(values: Any) -> str:
        file = io.StringIO()
        json.dump([values.sum()], file, **keywords)
        return file.getvalue()

    for dtype in ("f8", "f4", "i8", "?"):
        theirs = numpy.full(100, number if dtype[0] == "f" else 1, dtype)
        ours = hassium.asarray(theirs)
        for write in (written, streamed):
            agree(lambda w=write, a=theirs: w(a), lambda w=write, a=ours: w(a))


def test_a_number_like_another(pair: tuple[Any, Any]) -> None:
    expected, scalar = pair
    assert type(scalar)(1) == 1
    assert type(scalar)(scalar) == expected


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_the_mean_of_numbers(dtype: str) -> None:
    scalar = _core.arange(3, dtype=dtype).sum()
    assert statistics.mean([scalar, scalar + 3]) == 4.5
    assert statistics.fmean([scalar, 4]) == 3.5


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
@pytest.mark.parametrize(
    "calculate",
    [
        lambda x: x * x.dtype.type(3),
        lambda x: x.dtype.type(100) + x,
        lambda x: x - x.dtype.type(1) - x,
        lambda x: -x,
        lambda x: abs(-x - 1),
        lambda x: x // 2,
        lambda x: x / 2,
    ],
)
def test_integers_that_overflow_warn_as_numpys(calculate: Callable[[Any], Any], dtype: str) -> None:
    values = numpy.full(4, numpy.iinfo(dtype).max)

    def result(x: Any) -> tuple[Any, list[str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            return numpy.asarray(calculate(x)), [str(w.message) for w in caught]

    wanted, warned = result(values.max())
    found, told = result(reduced(_core.array(values), "max"))
    same(wanted, found)
    assert told == warned


def test_it_is_immutable(ready: bool) -> None:
    array = _core.arange(3.0)
    first = reduced(array)
    alias = first
    alias += 1
    assert (first, alias) == (3, 4)
    array[...] = 0
    assert first == 3
    with pytest.raises(TypeError):
        first[()] = 1
    with pytest.raises(TypeError, match="does not support item assignment"):
        first[...] = 1
    assert not first.flags.writeable
    if not ready:  # of NumPy's scalar that is a copy
        with pytest.raises(ValueError, match="read-only"):
            numpy.asarray(first)[...] = 1


@pytest.mark.parametrize("key", [..., None, (..., None), (None, None)])
def test_what_is_indexed_of_it_is_an_array_of_its_own(key: Any, ready: bool) -> None:
    scalar = reduced(_core.arange(3.0))
    part = scalar[key]
    assert type(part) is (numpy.ndarray if ready else _core.ndarray)
    part += 1
    assert (scalar, part.sum()) == (3, 4)
    part[...] = 7
    assert (scalar, part.sum()) == (3, 7)


CAST_TO = ["i1", "i4", "i8", "u2", "u8", "f4", "?", "F"]
CAST_FROM: list[Any] = [
    2**40, -1, 300, 2**63, 5, 1e20, 2.0**63, -1.5, 2.5, numpy.nan, numpy.inf, 1 + 2j, True,
]  # fmt: skip
SCALAR_KEYS: list[Any] = [0, slice(None), ..., (0, ...), [0], numpy.array([True, False])]


@pytest.mark.parametrize("dtype", CAST_TO)
@pytest.mark.parametrize("value", CAST_FROM, ids=repr)
@pytest.mark.parametrize("key", SCALAR_KEYS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_it_is_assigned_as_a_number(key: Any, value: Any, dtype: str) -> None:
    """Numbers that do not fit are refused, but not where the index makes an array of them."""

    def assigned(module: Any) -> tuple[str, str, str]:
        target = module.array([1, 2], dtype=dtype)

        def assign() -> None:
            target[key] = module.array([value]).max()

        kind, error = outcome(assign)
        return kind, repr(error), repr(numpy.asarray(target))

    (kind, error, target), expected = assigned(hassium), assigned(numpy)
    assert (kind, target) == (expected[0], expected[2])
    assert error.split("(")[0] == expected[1].split("(")[0]


FILLS: list[Callable[[Any, Any, str], Any]] = [
    lambda m, value, dtype: m.full(3, value, dtype=dtype),
    lambda m, value, dtype: m.full_like(m.ones(3, dtype), value),
    lambda m, value, dtype: (a := m.ones(3, dtype), a.fill(value))[0],
    lambda m, value, dtype: (a := m.ones((3, 3), dtype), m.fill_diagonal(a, value))[0],
]


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("value", [2**40, 300, -1, numpy.nan, 1e20], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_arrays_are_filled_with_it(fill: Callable[[Any, Any, str], Any], value: Any) -> None:
    for dtype in ("i4", "i1", "u2", "f4"):
        agree(
            lambda dtype=dtype: fill(numpy, numpy.array([value]).max(), dtype),
            lambda dtype=dtype: fill(hassium, hassium.array([value]).max(), dtype),
        )


def test_numbers_that_do_not_fit_an_element_in_place() -> None:
    target = hassium.array([1, 2], dtype="i4")
    with pytest.raises(OverflowError):
        target[0] += hassium.array([2**40]).sum()
    assert target.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u4"])
def test_assigning_what_always_fits_reads_nothing(dtype: str) -> None:
    target = hassium.zeros(1000, dtype)
    total = (hassium.ones(1000, "i4") * 2).max()
    hassium.flush()
    total = total + hassium.ones(1000, "i4").max()
    hassium.reset_stats()
    target[0] = total
    target[1:] = total
    assert hassium.stats()["flushes"] == 0
    assert target[0] == target[-1] == 3


def test_zero_dimensional_arrays_are_arrays(ready: bool) -> None:
    zero = _core.array(3.0)
    alias = zero
    alias += 1
    assert type(zero) is _core.ndarray
    assert zero[()] == 4
    assert float(zero) == 4
    assert type(zero + 1) is numpy.float64
    with pytest.raises(TypeError, match="len\\(\\) of unsized object"):
        len(zero)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(zero)


def test_conversions_refuse_more_than_one_element() -> None:
    array = _core.arange(3)
    for convert in (float, int, complex):
        with pytest.raises(TypeError) as expected:
            convert(numpy.arange(3))
        with pytest.raises(TypeError, match=re.escape(str(expected.value))):
            convert(array)
    with pytest.raises(ValueError, match="truth value of an array with more than one element"):
        bool(array)
    with pytest.raises(ValueError, match="truth value of an empty array"):
        bool(_core.zeros(0))
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        [1, 2][_core.array([1])]
    assert bool(_core.ones((1, 1)))


def test_other_operands_answer_for_themselves() -> None:
    class Wins:
        __array_ufunc__ = None

        def __radd__(self, other: object) -> str:
            return "added"

        def __eq__(self, other: object) -> Any:
            return "equal"

        def __hash__(self) -> int:
            return 0

    array = _core.arange(3)
    assert array + Wins() == "added"
    assert (array == Wins()) == "equal"
    assert (array == "x").tolist() == [False, False, False]
    assert (array != None).tolist() == [True, True, True]  # noqa: E711
    assert type(numpy.arange(3) + array) is _core.ndarray
    assert type(numpy.float32(1) * array) is _core.ndarray
    with pytest.raises(TypeError):
        array + object()


def test_a_number_is_no_container() -> None:
    """Whoever flattens nested lists asks whether what is in them can be iterated over."""
    for value in (
        hassium.ones(3).sum(),
        hassium.ones(100_000).sum(),
        (hassium.ones(100_000) * 2).max() + 1,
    ):
        assert not isinstance(value, Iterable)
        assert not isinstance(value, Sized)
        for function in (len, iter, list):
            with pytest.raises(TypeError, match=r"no len\(\)|not iterable"):
                function(value)
    assert isinstance(hassium.array(3.0), Iterable)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c8"])
@pytest.mark.parametrize("name", ["real", "imag", "round", "squeeze", "transpose"])
def test_functions_of_scalars_give_scalars(name: str, dtype: str) -> None:
    exact = numpy.array([1, 0]).astype(dtype)
    expected = getattr(numpy, name)(exact.max())
    for number in (hassium.array(exact).max(), exact.max()):
        found = getattr(hassium, name)(number)
        assert type(found) in (type(expected), _core.scalar)
        assert (found.dtype, found) == (expected.dtype, expected)
        assert {found: 1}[expected] == 1


def test_rounded_integers_are_scalars_without_axes_alone(ready: bool) -> None:
    zero = hassium.array(3)
    for found in (zero.round(), hassium.round(zero), hassium.round(3), zero.sum().round(1)):
        assert type(found) is not _core.ndarray
        assert found == 3
    assert type(hassium.array([3]).round()) is _core.ndarray
    assert type(hassium.real(zero)) is type(hassium.squeeze(zero)) is _core.ndarray
