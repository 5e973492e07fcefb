"""The lazy scalar: what NumPy returns as a scalar, computed when it is read."""

from __future__ import annotations

import fractions
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import agree
from hassium import _core


@pytest.fixture(params=["i8", "f8", "f4", "c16", "?"])
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    values = numpy.array([1, 0, 1, 1]).astype(request.param)
    return values.max(), _core.array(values).max()


def test_it_passes_for_numpys(pair: tuple[Any, Any]) -> None:
    expected, scalar = pair
    assert type(scalar) is _core.scalar
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


@pytest.mark.parametrize("ready", [True, False])
def test_arithmetic_gives_scalars(ready: bool) -> None:
    with hassium.config(direct_elements=64 if ready else 0):
        scalar = _core.arange(5.0).sum()
        total = scalar / 4 + 1
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
        theirs = scalar.to_numpy()[()]
        agree(lambda theirs=theirs: call(theirs), lambda scalar=scalar: call(scalar))


def test_it_is_immutable() -> None:
    array = _core.arange(3.0)
    first = array.sum()
    alias = first
    alias += 1
    assert (first, alias) == (3, 4)
    array[...] = 0
    assert first == 3
    with pytest.raises(TypeError):
        first[()] = 1
    with pytest.raises((ValueError, TypeError)):
        first.fill(1)
    assert not first.flags.writeable
    outside = numpy.asarray(first)
    with pytest.raises(ValueError, match="read-only"):
        outside[...] = 1


def test_zero_dimensional_arrays_are_arrays() -> None:
    zero = _core.array(3.0)
    alias = zero
    alias += 1
    assert type(zero) is _core.ndarray
    assert zero[()] == 4
    assert float(zero) == 4
    assert type(zero + 1) is _core.scalar
    with pytest.raises(TypeError, match="len\\(\\) of unsized object"):
        len(zero)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(zero)


def test_conversions_refuse_more_than_one_element() -> None:
    array = _core.arange(3)
    for convert in (float, int, complex):
        with pytest.raises(TypeError, match="only 0-dimensional arrays"):
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
