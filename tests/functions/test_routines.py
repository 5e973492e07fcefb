"""Routines are rows: recorded, scheduled as blocks of their own, run at the call where few."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

N = 70_000
ROUTINES: dict[str, Callable[[Any, Any], Any]] = {
    "sort": lambda m, x: m.sort(x),
    "sort of lines": lambda m, x: m.sort(x.reshape(70, 1000), axis=0),
    "argsort": lambda m, x: m.argsort(x, kind="stable"),
    "argsort of integers": lambda m, x: m.argsort((x * 1000).astype("i4"), kind="stable"),
    "searchsorted": lambda m, x: m.searchsorted(m.arange(500.0), x),
    "searchsorted of other integers": lambda m, x: m.searchsorted(
        m.arange(500, dtype="u8"), (x * 9).astype("i2"), side="right"
    ),
    "interp": lambda m, x: m.interp(x, m.arange(50.0), m.arange(50.0) ** 2, left=-1, right=7.5),
}


def drawn(n: int = N) -> Any:
    return numpy.random.default_rng(5).normal(10, 20, n)


def instructions() -> tuple[int, int]:
    stats = np.stats()
    return stats["eager_instructions"], stats["flushes"]


@pytest.mark.parametrize("name", ROUTINES)
@pytest.mark.parametrize("executor", ["tile", "reference"])
def test_recorded_with_what_comes_before_and_behind(name: str, executor: str) -> None:
    x = drawn()
    with np.config(executor=executor, eager_elements=0):
        ours = np.array(x)
        np.flush()
        before = instructions()
        found = ROUTINES[name](np, ours * 1.5 + 2) + 1
        if "interp" not in name:  # whose points are looked at
            assert instructions() == before
        numpy.testing.assert_array_equal(
            numpy.asarray(found), ROUTINES[name](numpy, x * 1.5 + 2) + 1
        )


@pytest.mark.parametrize("name", ROUTINES)
@pytest.mark.parametrize("n", [0, 1, 2, 10, 70_000])
def test_values_of_any_number(name: str, n: int) -> None:
    x = drawn(N if "lines" in name else n)
    found = ROUTINES[name](np, np.array(x))
    expected = ROUTINES[name](numpy, x)
    numpy.testing.assert_array_equal(numpy.asarray(found), expected)
    assert found.dtype == expected.dtype


def test_few_run_at_the_call() -> None:
    x = np.array(drawn(20))
    np.flush()
    eager, flushes = instructions()
    np.sort(x)
    np.argsort(x)
    np.searchsorted(x, x)
    assert instructions() == (eager + 3, flushes)


@pytest.mark.parametrize("value", [3, 3.5, -7, True])
@pytest.mark.parametrize("dtype", ["i4", "f8", "f4", "u1", "f2", "?"])
def test_searching_for_a_number(value: Any, dtype: str) -> None:
    a = numpy.sort(drawn(30).astype("i1").astype(dtype))
    ours = np.array(a)
    for side in ("left", "right"):
        found = np.searchsorted(ours, value, side)
        assert found == numpy.searchsorted(a, value, side)
        assert type(found) is type(numpy.searchsorted(a, value, side))
        assert ours.searchsorted(value, side=side) == found


def test_what_is_wrong_is_refused_at_the_call() -> None:
    x = np.array(drawn(30))
    with pytest.raises(ValueError, match="negative"):
        np.bincount(np.array([3, -1]))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.bincount(x)
    with pytest.raises(ValueError, match="negative"):
        np.bincount(np.array([3]), minlength=-1)
    with pytest.raises(ValueError, match="too deep"):
        np.searchsorted(x.reshape(5, 6), x)
    with pytest.raises(numpy.exceptions.AxisError):
        np.sort(x, axis=1)
    with pytest.raises(ValueError, match="kind"):
        np.sort(x, kind="odd")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u4", "i8"])
@pytest.mark.parametrize("n", [1, 10, 100, 5000])
def test_bincount_of_few_and_many(dtype: str, n: int) -> None:
    x = (drawn(n) % 50).astype(dtype)
    ours = np.array(x)
    for given in ({}, {"minlength": 70}):
        found = np.bincount(ours, **given)
        numpy.testing.assert_array_equal(numpy.asarray(found), numpy.bincount(x, **given))
    strided = np.array(numpy.repeat(x, 3))[::3]
    numpy.testing.assert_array_equal(numpy.asarray(np.bincount(strided + 0)), numpy.bincount(x + 0))
    numpy.testing.assert_array_equal(numpy.asarray(np.bincount(strided)), numpy.bincount(x))


def test_other_threads_run_while_a_long_routine_does() -> None:
    x = np.array(drawn(2_000_000))
    np.flush()
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(float(np.sort(x)[0])))
    thread.start()
    assert np.bincount(np.array([1, 2, 2])).tolist() == [0, 1, 2]
    thread.join()
    assert found == [numpy.sort(numpy.asarray(x))[0]]


def test_a_row_is_named_and_its_input_known() -> None:
    for name in ("no such row", "add", "matmul"):
        with pytest.raises(ValueError, match="row"):
            np._core.routine(name)
    with pytest.raises(ValueError, match="inputs"):
        np._core.routine("sort", 1)


KEYS: list[tuple[Any, ...]] = [
    ("f8",),
    ("i4", "f8"),
    ("f8", "i1", "u8"),
    ("?", "f4"),
    ("c16", "f2", "i8", "?"),
]


@pytest.mark.parametrize("dtypes", KEYS)
@pytest.mark.parametrize("n", [0, 1, 10, 5000])
def test_lexsort(dtypes: tuple[str, ...], n: int) -> None:
    draw = numpy.random.default_rng(n)
    keys = tuple(draw.integers(0, 4, n).astype(dtype) for dtype in dtypes)
    if dtypes[0] == "f8" and n > 1:
        keys[0][::7] = numpy.nan
    ours = tuple(np.array(key) for key in keys)
    expected = numpy.lexsort(keys)
    for given in (ours, list(ours), keys[:-1] + ours[-1:]):
        found = np.lexsort(given)
        numpy.testing.assert_array_equal(numpy.asarray(found), expected)
        assert found.dtype == expected.dtype
    rows = numpy.stack([keys[-1].astype("f8")] * 2)
    numpy.testing.assert_array_equal(numpy.asarray(np.lexsort(np.array(rows))), numpy.lexsort(rows))


def test_keys_that_lexsort_refuses() -> None:
    x = np.array([1.0, 2.0])
    with pytest.raises(ValueError, match="same shape"):
        np.lexsort((x, np.array([1.0, 2.0, 3.0])))
    with pytest.raises(TypeError, match="len"):
        np.lexsort(())
    cube = numpy.arange(24.0).reshape(2, 3, 4) % 5
    numpy.testing.assert_array_equal(numpy.asarray(np.lexsort(np.array(cube))), numpy.lexsort(cube))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add([1, 2], [3, 4], order=None),
        lambda m: m.exp(m.ones((2, 3)).T, order=None).flags.f_contiguous,
        lambda m: m.array_equiv([1, 2], [1, [2, 3]]),
        lambda m: m.array_equiv([1, 2], [[1, 2], [1, 2]]),
        lambda m: m.nanvar([1, 2, 3, 4], mean=None),
    ],
)
def test_none_and_ragged_lists(call: Callable[[Any], Any]) -> None:
    assert numpy.array_equal(numpy.asarray(call(np)), call(numpy))
