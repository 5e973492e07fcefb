"""NumPy's scalars on the left of arrays and of lazy scalars: the array answers, as NumPy would."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 "
    "complex64 complex128"
).split()
OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    divmod, operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_,
    operator.xor, operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge,
]  # fmt: skip


def outcome(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(a, b)
        except Exception as error:
            return type(error)
    return found if isinstance(found, tuple) else (found,)


def check_same(found: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert found is expected
        return
    assert len(found) == len(expected)
    for ours, numpys in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(
            numpy.asarray(ours), numpy.asarray(numpys), strict=True, err_msg=str((ours, numpys))
        )


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_array_answers_as_numpy_would(dtype: str, function: Callable[[Any, Any], Any]) -> None:
    left = numpy.dtype(dtype).type(3)
    for other in DTYPES:
        exact = numpy.array([1, 2, 4, 1], dtype=other)
        check_same(outcome(function, left, np.array(exact)), outcome(function, left, exact))


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("ready", [True, False])
def test_lazy_scalars_beside_numbers(ready: bool, function: Callable[[Any, Any], Any]) -> None:
    exact = numpy.arange(1, 4)
    numbers: list[Any] = [2, 2.5, True, 1j, *(numpy.dtype(d).type(2) for d in DTYPES)]
    for dtype in DTYPES:
        for number in numbers:
            x = np.array(exact.astype(dtype))
            with np.config(eager_elements=64 if ready else 0):
                ours = [outcome(function, x.max(), number), outcome(function, number, x.max())]
                ours += [outcome(function, x.max(), x.min())]
            top, least = exact.astype(dtype).max(), exact.astype(dtype).min()
            numpys = [outcome(function, top, number), outcome(function, number, top)]
            numpys += [outcome(function, top, least)]
            for found, expected in zip(ours, numpys, strict=True):
                check_same(found, expected)


def test_a_number_on_the_left_is_a_constant_of_the_instruction() -> None:
    x = np.ones(1000)
    np.flush()
    np.reset_stats()
    y = numpy.float64(2.0) * x + numpy.float32(1.0)
    stats = np.stats()
    assert (stats["instructions"], stats["flushes"]) == (2, 0)
    assert float((numpy.float64(7.0) - y)[0]) == 4.0


def test_numbers_that_are_there_make_no_instructions() -> None:
    x = np.ones(8)
    np.flush()
    total = x.sum()
    np.reset_stats()
    mean = numpy.float64(16.0) - total / 8
    assert type(mean) is numpy.float64
    assert mean == 15.0
    assert total > 7
    assert total != numpy.float64(9.0)
    assert np.stats()["instructions"] == 0


def test_numpys_scalars_are_what_they_were_to_others() -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return f"radd {other}"

        def __rpow__(self, other: Any) -> str:
            return f"rpow {other}"

        def __gt__(self, other: Any) -> bool:
            return True

    one = numpy.float64(1.0)
    assert one + Other() == "radd 1.0"
    assert one ** Other() == "rpow 1.0"
    assert (one < Other()) is True
    assert type(one + 1) is numpy.float64
    assert one + numpy.float32(1) == 2
    assert pow(numpy.int64(3), 2) == 9
    with pytest.raises(TypeError):
        pow(numpy.int64(3), 2, 5)
    with pytest.raises(TypeError):
        one + object()
    numpy.testing.assert_array_equal(one - numpy.ones(2), [0.0, 0.0])

    class Answers(np.ndarray):
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> str:
            return f"{ufunc.__name__} {method}"

    answers: Any = np.ones(2).view(Answers) if hasattr(np.ndarray, "view") else None
    if isinstance(answers, Answers):
        assert one * answers == "multiply __call__"


@pytest.mark.parametrize("kind", ["int64", "int8", "uint64"])
def test_as_subscripts(kind: str) -> None:
    exact = numpy.arange(24.0).reshape(4, 6)
    ours = np.array(exact)
    integer = numpy.dtype(kind).type
    keys: list[Any] = [
        integer(2), (integer(1), integer(3)), (integer(0), slice(1, 4)), (slice(None), integer(5)),
        (integer(3), 2), integer(4), (integer(2), integer(6)), (integer(1),) * 3,
    ]  # fmt: skip
    keys += [(integer(-1), integer(-6)), integer(-5), (1, integer(-7))] if kind != "uint64" else []
    for key in keys:
        check_same(outcome(operator.getitem, ours, key), outcome(operator.getitem, exact, key))
        found, expected = np.array(exact), exact.copy()
        refused = outcome(lambda a, k: operator.setitem(a, k, -1.0), expected, key)
        check_same(outcome(lambda a, k: operator.setitem(a, k, -1.0), found, key), refused)
        numpy.testing.assert_array_equal(numpy.asarray(found), expected)
