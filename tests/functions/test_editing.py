"""Elements deleted and inserted: NumPy's values, dtypes, orders in memory and errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import outcome, plain

ARRAYS: dict[str, Callable[[Any], Any]] = {
    "vector": lambda np: np.arange(6.0),
    "reversed": lambda np: np.arange(6, dtype="i2")[::-1],
    "rows": lambda np: np.arange(12).reshape(3, 4),
    "columns": lambda np: np.arange(12.0).reshape(4, 3).T,
    "turned": lambda np: np.arange(12.0).reshape(3, 4).T[::-1],
    "cube": lambda np: np.arange(24, dtype="c8").reshape(2, 3, 4),
    "halves": lambda np: np.arange(12, dtype="e").reshape(3, 4),
    "truths": lambda np: np.array([True, False, True]),
    "number": lambda np: np.array(5.0),
    "nothing": lambda np: np.zeros((0, 3)),
    "list": lambda np: [1, 2, 3],
    "text": lambda np: np.array(["a", "b", "c"]),
}
PLACES: list[Callable[[Any], Any]] = [
    *(lambda np, k=k: k for k in (0, 1, -1, 3, 5, 6, -7, 1.0, None, "x", True)),
    *(lambda np, k=k: k for k in ([0, 2], [1], [1, 1], [-1, 0], [9], [], [1.0])),
    lambda np: slice(None),
    lambda np: slice(1, 3),
    lambda np: slice(None, None, 2),
    lambda np: slice(3, 0, -2),
    lambda np: slice(3, 0, -1),
    lambda np: slice(5, 5),
    lambda np: np.array([True, False, True]),
    lambda np: np.array([True, False, False, True, False, True]),
    lambda np: np.array([2], "u1"),
    lambda np: np.array([[0, 1]]),
    lambda np: np.array([], int),
    lambda np: np.array([]),
    lambda np: np.int32(2),
]
VALUES: list[Callable[[Any], Any]] = [
    *(lambda np, v=v: v for v in (9, 9.5, 1j, "z", None, [9], [8, 9], [7, 8, 9], [[1], [2]])),
    lambda np: np.arange(4.0),
    lambda np: np.arange(3)[:, None],
    lambda np: np.ones((2, 1, 4)),
    lambda np: np.array([]),
]

AXES = [None, 0, 1, -1, 2, -3]


def described(action: Callable[[], Any]) -> Any:
    kind, value = outcome(action)
    if kind == "error":
        return value
    value = plain(value)
    return value.dtype, value.shape, value.flags.c_contiguous, value.tobytes()


def results(function: str, name: str, axis: Any, *given: Callable[[Any], Any]) -> list[Any]:
    """What hassium and NumPy do with the array of that name."""

    def run(np: Any) -> Any:
        place, *values = (make(np) for make in given)
        return getattr(np, function)(ARRAYS[name](np), place, *values, axis=axis)

    return [described(partial(run, np)) for np in (hassium, numpy)]


@pytest.mark.parametrize("name", ARRAYS)
def test_delete(name: str) -> None:
    hassium.reset_stats()
    for k, place in enumerate(PLACES):
        for axis in AXES:
            found, wanted = results("delete", name, axis, place)
            assert found == wanted, (k, axis)
    assert ("delete" in hassium.stats()["fallbacks"]) == (name == "text")


@pytest.mark.parametrize("name", ARRAYS)
def test_insert(name: str) -> None:
    chance = random.Random(name)
    hassium.reset_stats()
    for k, place in enumerate(PLACES):
        for axis in AXES:
            for values in chance.sample(VALUES, 4):
                found, wanted = results("insert", name, axis, place, values)
                # NumPy asks True for its axes.
                assert found == wanted or wanted == "AttributeError", (k, axis, values(numpy))
    assert ("insert" in hassium.stats()["fallbacks"]) == (name == "text")


def test_taken_out_of_what_is_pending() -> None:
    x = hassium.arange(1000.0)
    kept = hassium.delete(x * 2, [3, 5]) + 1
    x[:] = 0
    put = hassium.insert(kept, 3, 7.0)
    wanted = numpy.insert(numpy.delete(numpy.arange(1000.0) * 2, [3, 5]) + 1, 3, 7.0)
    assert put.tolist() == wanted.tolist()


@pytest.mark.parametrize("call", ["np.delete(a, 9)", "np.delete(a, [9])", "np.insert(a, 9, 0)"])
def test_places_outside(call: str) -> None:
    with pytest.raises(IndexError, match=r"^index 9 is out of bounds for axis 0 with"):
        eval(call, {"np": hassium, "a": hassium.arange(3)})


def test_subclasses_and_foreign_arrays_are_numpys() -> None:
    masked = numpy.ma.masked_array([1.0, 2.0], [True, False])
    assert type(hassium.delete(masked, 0)) is numpy.ma.MaskedArray
    assert type(hassium.insert(masked, 0, 1.0)) is numpy.ma.MaskedArray


@pytest.mark.parametrize("place", [numpy.int8(3), numpy.int8(-3), numpy.uint8(7), numpy.int16(-1)])
@pytest.mark.parametrize("extent", [100, 200, 70_000])
def test_a_place_of_a_narrow_dtype(place: Any, extent: int) -> None:
    found = hassium.delete(hassium.arange(extent), place)
    assert found.tobytes() == numpy.delete(numpy.arange(extent), int(place)).tobytes()
    grown = hassium.insert(hassium.arange(extent), place, 5)
    assert grown.tobytes() == numpy.insert(numpy.arange(extent), int(place), 5).tobytes()
