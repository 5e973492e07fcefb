"""Operators between NumPy's arrays and ours: our array answers, by NumPy's rules."""

from __future__ import annotations

import operator
import subprocess
import sys
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
COMPARISONS: list[Callable[[Any, Any], Any]] = [
    operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge,
]  # fmt: skip
OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    divmod, operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_,
    operator.xor, operator.matmul, *COMPARISONS,
]  # fmt: skip
IN_PLACE: list[Callable[[Any, Any], Any]] = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow, operator.ilshift, operator.irshift, operator.iand, operator.ior,
    operator.ixor,
]  # fmt: skip
PLAIN = "import numpy"
BESIDE = "import numpy, hassium"


def outcome(function: Callable[[Any, Any], Any], a: Any, b: Any) -> tuple[Any, str]:
    """The result or the type of the error, and the messages of what was reported."""
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        try:
            found: Any = function(a, b)
            np.flush()
        except Exception as error:
            return type(error), str(error).strip()
    return found, " ".join(sorted(str(w.message) for w in reported))


def check_same(found: tuple[Any, str], expected: tuple[Any, str]) -> None:
    assert found[1] == expected[1]
    if isinstance(expected[0], type):
        assert found[0] is expected[0]
        return
    ours = found[0] if isinstance(found[0], tuple) else (found[0],)
    numpys = expected[0] if isinstance(expected[0], tuple) else (expected[0],)
    for one, other in zip(ours, numpys, strict=True):
        assert type(one) is np.ndarray or not isinstance(other, numpy.ndarray)
        numpy.testing.assert_array_equal(numpy.asarray(one), numpy.asarray(other), strict=True)


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_operator_and_dtype(dtype: str, function: Callable[[Any, Any], Any]) -> None:
    left = numpy.array([3, 0, 1, 2], dtype=dtype)
    for other in DTYPES:
        right = numpy.array([1, 2, 4, 1], dtype=other)
        check_same(outcome(function, left, np.array(right)), outcome(function, left, right))


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place_operators_give_numpys_object_back(
    dtype: str, function: Callable[[Any, Any], Any]
) -> None:
    for other in DTYPES:
        right = numpy.array([1, 2, 4, 1], dtype=other)
        exact = numpy.array([3, 0, 1, 2], dtype=dtype)
        expected = outcome(function, exact, right)
        mixed = numpy.array([3, 0, 1, 2], dtype=dtype)
        found = outcome(function, mixed, np.array(right))
        if isinstance(expected[0], type):
            assert issubclass(expected[0], found[0])  # NumPy has types of its own for some casts
        else:
            assert found[0] is mixed
            assert found[1] == expected[1]
        numpy.testing.assert_array_equal(mixed, exact, strict=True)


@pytest.mark.parametrize("size", [5, 3000, 100_000])
def test_in_place_results_are_written_at_once(size: int) -> None:
    mixed = numpy.arange(float(size))
    mixed *= np.full(size, 2.0) + 1.0
    numpy.testing.assert_array_equal(mixed, numpy.arange(float(size)) * 3)
    mixed[::2] -= np.ones((size + 1) // 2)
    numpy.testing.assert_array_equal(mixed[:4], [-1.0, 3.0, 5.0, 9.0])


@pytest.mark.parametrize("rows", [4, 4000])
def test_in_place_into_memory_that_is_read(rows: int) -> None:
    results = []
    for m in (np, numpy):
        memory = numpy.arange(2.0 * rows + 1)
        overlapping = numpy.lib.stride_tricks.as_strided(memory, (rows, 2), (8, 8))
        overlapping += m.arange(2.0 * rows).reshape(rows, 2)
        other = np.asarray(memory, copy=False) if m is np else memory
        memory[1:] += other[:-1]
        memory[:-1] -= other[1:]
        results.append(memory)
    numpy.testing.assert_array_equal(*results)


def test_read_only_and_wrong_shapes_are_refused() -> None:
    fixed = numpy.zeros(3)
    fixed.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        fixed += np.ones(3)
    column = numpy.zeros(3)
    with pytest.raises(ValueError, match="non-broadcastable"):
        column += np.ones((2, 3))
    for function in [*OPERATORS[:13], *COMPARISONS]:
        for dtype in ("int64", "float64"):
            exact = outcome(function, numpy.ones(2, dtype), numpy.ones(3, dtype))
            found = outcome(function, numpy.ones(2, dtype), np.ones(3, dtype))
            if not isinstance(exact[0], type):
                continue
            assert found[0] is exact[0]
            assert found[1] == exact[1]


@pytest.mark.parametrize("function", [operator.truediv, operator.floordiv, operator.mod])
def test_conditions_are_reported_by_the_errstate_of_the_operation(
    function: Callable[[Any, Any], Any],
) -> None:
    left, right = numpy.array([1.0, 0.0]), np.array([0.0, 0.0])
    with numpy.errstate(all="raise"), pytest.raises(FloatingPointError):
        numpy.asarray(function(left, right))
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = function(left, right)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numpy.asarray(found)


LEFT: list[Callable[[], Any]] = [
    lambda: numpy.array([1, None, 3], dtype=object),
    lambda: numpy.array(["a", "b", "c"]),
    lambda: numpy.array([b"a", b"b", b"c"]),
    lambda: numpy.array([1, 2, 3], "M8[D]"),
    lambda: numpy.array([1, 2, 3], "m8[s]"),
    lambda: numpy.array([1, 2, 3], numpy.longdouble),
    lambda: numpy.array([1, 2, 3], ">f8"),
    lambda: numpy.array([1, 2, 3], ">i4"),
    lambda: numpy.array(2.0),
    lambda: numpy.array([[2.0], [3.0]]),
    lambda: numpy.zeros((0, 3)),
]


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", LEFT, ids=range(len(LEFT)))
def test_other_dtypes_and_ranks(
    make: Callable[[], Any], function: Callable[[Any, Any], Any]
) -> None:
    right = numpy.array([1, 2, 3])
    expected = outcome(function, make(), right)
    found = outcome(function, make(), np.array(right))
    if isinstance(expected[0], type):
        assert issubclass(found[0], expected[0])
        return
    for one, other in zip(
        found[0] if isinstance(found[0], tuple) else (found[0],),
        expected[0] if isinstance(expected[0], tuple) else (expected[0],),
        strict=True,
    ):
        numpy.testing.assert_array_equal(numpy.asarray(one), numpy.asarray(other), strict=True)


class Derived(numpy.ndarray):
    """Answers nothing itself."""


class Answers(numpy.ndarray):
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return f"{ufunc.__name__} {method} {len(inputs)}"


class Refuses(numpy.ndarray):
    __array_ufunc__: Any = None

    def __radd__(self, other: Any) -> str:
        return "radd"


class Ranked:
    __array_priority__ = 100.0

    def __radd__(self, other: Any) -> str:
        return "radd"


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_derived_classes_and_foreign_objects_answer_as_before() -> None:
    v, h = numpy.arange(3.0), np.arange(3.0)
    matrix = numpy.matrix([[1.0, 2.0, 4.0]])
    assert type(matrix + h) is numpy.matrix
    masked = numpy.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    assert type(masked * h) is numpy.ma.MaskedArray
    assert type(v.view(Derived) + h) is Derived
    assert v.view(Answers) + h == "add __call__ 2"
    assert h + v.view(Answers) == "add __call__ 2"
    # NumPy's own operators, whose right operand is no array of ours.
    assert v + v.view(Answers) == "add __call__ 2"
    assert v + v.view(Refuses) == "radd"
    assert v + Ranked() == "radd"
    assert type(v + v.view(Derived)) is Derived
    assert type(v.view(Derived) + v) is Derived
    assert type(v + matrix) is numpy.matrix
    assert type(2.0 + v) is numpy.ndarray
    assert type([1.0, 2.0, 3.0] * v) is numpy.ndarray
    mine = v.view(Derived)
    same = mine
    mine += h
    assert mine is same
    assert type(mine) is Derived


def test_numpys_arrays_are_what_they_were_to_others() -> None:
    v, w = numpy.arange(1.0, 4.0), numpy.full(3, 2.0)
    for function in OPERATORS:
        found, _ = outcome(function, v, w)
        if not isinstance(found, type):
            parts = found if isinstance(found, tuple) else (found,)
            assert all(isinstance(part, (numpy.ndarray, numpy.generic)) for part in parts)
    with pytest.raises(TypeError):
        pow(v, 2, 5)
    with pytest.raises(TypeError):
        v < object()  # noqa: B015
    assert (v == "text").tolist() == [False] * 3


def reuses_temporaries(start: str) -> bool:
    program = f"""
{start}
import tracemalloc
x = numpy.ones(1_000_000)
tracemalloc.start()
y = x + x + x + x
print(tracemalloc.get_traced_memory()[1] < 1.5 * x.nbytes)
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {"True\n": True, "False\n": False}[shown.stdout]


def test_numpy_reuses_temporaries_as_before() -> None:
    """NumPy looks at the stack whether a temporary operand is referenced by others.

    Where it cannot tell, as with Python 3.14 and NumPy 2.5, it reuses none by itself either.
    """
    assert reuses_temporaries(BESIDE) == reuses_temporaries(PLAIN)


def test_mixed_operators_are_not_counted_as_fallbacks() -> None:
    v, h = numpy.ones(3), np.ones(3)
    np.flush()
    np.reset_stats()
    for function in OPERATORS[:8]:
        assert not isinstance(function(v, h), numpy.ndarray)
    v += h
    assert not np.stats()["fallbacks"]
