"""Numbers that are as strong as arrays: of types that derive from Python's, and NumPy's own."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome


class Whole(int):
    pass


class Real(float):
    pass


class Pair(complex):
    pass


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 2**40


class Bits(enum.IntFlag):
    FOURTH = 4


NUMBERS = [
    Whole(2), Whole(300), Whole(2**63), Whole(2**70), Whole(-(2**70)), Real(2.5), Pair(1 + 2j),
    Level.LOW, Level.HIGH, Bits.FOURTH,
]  # fmt: skip
USES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda m, a, x: m.add(a, x),
    "maximum": lambda m, a, x: m.maximum(a, x),
    "less": lambda m, a, x: m.less(a, x),
    "operator": lambda m, a, x: a + x,
    "reflected": lambda m, a, x: x - a,
    "in place": lambda m, a, x: m.add(a, x, out=a, casting="unsafe"),
    "equal": lambda m, a, x: a == x,
    "where": lambda m, a, x: m.where([True, False], a, x),
    "clip": lambda m, a, x: m.clip(a, x, None),
    "beside an element": lambda m, a, x: a[0] + x,
    "beside a sum": lambda m, a, x: m.sum(a) * x,
    "full": lambda m, a, x: m.full(3, x),
    "full of the dtype": lambda m, a, x: m.full(3, x, a.dtype),
    "full_like": lambda m, a, x: m.full_like(a, x),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: f"{type(x).__name__} {x}")
def test_as_numpy(number: Any, use: str) -> None:
    for dtype in ("i1", "u1", "i8", "f2", "f4", "f8", "F", "?"):
        ours, theirs = (
            case_outcome(lambda m, d=dtype: USES[use](m, m.array([1, 2], d), number), m)
            for m in (hs, np)
        )
        assert ours == theirs, dtype


FILLS: list[tuple[Any, Any]] = [
    (np.nan, "i4"), (np.inf, "u1"), (1e30, "i8"), (-1.5, "u1"), (2.7, "i2"), (2.5, "?"),
    (2**70, None), (-(2**70), None), (2**63, None), (2**64, None), (300, "u1"), (2**70, "f8"),
    (np.datetime64("2020-01-02"), "i4"), (np.datetime64("2020-01-02"), "f4"),
    (np.timedelta64(5, "s"), "i8"), (np.timedelta64(300, "s"), "u1"),
    (np.array(np.datetime64("2020-01-02")), "i8"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "dtype"), FILLS)
def test_full_casts_as_numpy(value: Any, dtype: Any) -> None:
    cases: list[Callable[[Any], Any]] = [
        lambda m: m.full(3, value, dtype),
        lambda m: m.full_like(m.zeros(3, dtype), value),
    ]
    for case in cases:
        assert case_outcome(case, hs) == case_outcome(case, np)


def test_full_tells_of_numbers_that_do_not_fit() -> None:
    for m in (hs, np):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            m.full(3, np.nan, "i4")
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            m.full_like(m.arange(3), np.inf)


NUMPYS = [
    np.int64(1000), np.int64(-1), np.uint64(2**63), np.float64(1e9), np.float32(np.nan),
    np.float64(np.inf), np.complex64(1 + 2j), np.bool_(True), np.int8(5),
]  # fmt: skip


def written(m: Any, dtype: str, key: Any, number: Any) -> Any:
    array = m.zeros(3, dtype)
    array[key] = number
    return array


PLACES: dict[str, Callable[[Any, str, Any], Any]] = {
    "a mask": lambda m, d, x: written(m, d, m.array([True, False, True]), x),
    "a list of bools": lambda m, d, x: written(m, d, [True, False, True], x),
    "positions": lambda m, d, x: written(m, d, m.array([0, 2]), x),
    "one position": lambda m, d, x: written(m, d, 0, x),
    "a slice": lambda m, d, x: written(m, d, slice(0, 2), x),
    "everything": lambda m, d, x: written(m, d, ..., x),
    "full": lambda m, d, x: m.full(3, x, d),
    "full_like": lambda m, d, x: m.full_like(m.zeros(3, d), x),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NUMPYS, ids=lambda x: f"{type(x).__name__} {x}")
def test_numpys_numbers_are_cast_as_numpy_does(number: Any, place: str) -> None:
    for dtype in ("i1", "u1", "i8", "u8", "?", "F"):
        ours, theirs = (
            case_outcome(lambda m, d=dtype: PLACES[place](m, d, number), m) for m in (hs, np)
        )
        assert str(ours) == str(theirs), dtype  # as text, for a nan is equal to nothing


@pytest.mark.parametrize("place", ["a mask", "positions", "full", "full_like"])
def test_a_cast_that_is_invalid_warns(place: str) -> None:
    for m in (hs, np):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            str(PLACES[place](m, "i1", np.float32(np.nan)))


LIMITED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "both": lambda m, a, x: m.clip(x, a, a),
    "below": lambda m, a, x: m.clip(x, a, None),
    "above": lambda m, a, x: m.clip(x, None, a.max()),
    "by scalars": lambda m, a, x: m.clip(x, a.max(), a.max()),
    "by numbers": lambda m, a, x: m.clip(x, 1, 2),
}


@pytest.mark.parametrize("eager", [0, 64])
@pytest.mark.parametrize("number", [5, -(2**31), 2.5, True, 1j], ids=str)
@pytest.mark.parametrize("limits", LIMITED)
def test_a_number_that_is_clipped_has_its_own_dtype(limits: str, number: Any, eager: int) -> None:
    for dtype in ("i1", "u1", "f2", "f4", "f8", "F"):
        with hs.config(eager_elements=eager):
            ours, theirs = (
                case_outcome(lambda m, d=dtype: LIMITED[limits](m, m.array([1, 2], d), number), m)
                for m in (hs, np)
            )
        assert ours == theirs, dtype
