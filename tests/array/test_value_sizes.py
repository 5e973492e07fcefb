"""Values that are more or fewer than the places they go to: repeated or refused as NumPy does."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

POSITIONS: tuple[list[int], ...] = ([], [0], [1, 2], list(range(7)), [7, 8], [-1, -12])
VALUES: tuple[Any, ...] = ([], [5], [5, 6], [5, 6, 7], [[1, 2], [3, 4]], list(range(8)), 3)
MASKS: tuple[Any, ...] = (
    *([1], [], [1, 0], [1] * 8, [0] * 8, [1, 0] * 4, [1] * 9),
    *([[1, 0] * 4], [[1, 0] * 2] * 2),
)


def _set(a: Any, key: Any, value: Any) -> None:
    a[key] = value


BY_POSITION: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "put": lambda np, a, at, v: np.put(a, at, v),
    "put wrap": lambda np, a, at, v: np.put(a, at, v, mode="wrap"),
    "put clip": lambda np, a, at, v: np.put(a, at, v, mode="clip"),
    "along all": lambda np, a, at, v: np.put_along_axis(a, at, v, axis=None),
    "along": lambda np, a, at, v: np.put_along_axis(a, at, v, axis=0),
    "along rows": lambda np, a, at, v: np.put_along_axis(a.reshape(4, 2), at[:, None], v, axis=0),
    "item": lambda np, a, at, v: _set(a, at, v),
    "items of rows": lambda np, a, at, v: _set(a.reshape(4, 2), (slice(None), at % 2), v),
    "flat": lambda np, a, at, v: _set(a.flat, at, v),
    "at": lambda np, a, at, v: np.add.at(a, at, v),
}
BY_MASK: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "place": lambda np, a, m, v: np.place(a, m, v),
    "putmask": lambda np, a, m, v: np.putmask(a, m, v),
    "copyto": lambda np, a, m, v: np.copyto(a, v, where=m),
    "item": lambda np, a, m, v: _set(a, m, v),
    "item by list": lambda np, a, m, v: _set(a, m.tolist(), v.tolist()),
    "item beside a number": lambda np, a, m, v: _set(a.reshape(4, 2), (m, 0), v),
    "insert": lambda np, a, m, v: np.insert(a, m, v),
    "select": lambda np, a, m, v: np.select([m], [v]),
    "out": lambda np, a, m, v: np.add(a, 1, out=a, where=m),
}


def outcome(np: Any, write: Any, key: Any, dtype: Any, value: Any) -> Any:
    a = np.arange(8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = write(np, a, np.array(key, dtype), np.array(value))
        except (ValueError, TypeError, IndexError, DeprecationWarning) as error:
            return type(error).__name__, a.tolist()
    return None if found is None else found.tolist(), a.tolist()


@pytest.mark.parametrize("way", BY_POSITION)
def test_at_positions(way: str) -> None:
    for key, value in itertools.product(POSITIONS, VALUES):
        ours, theirs = (outcome(np, BY_POSITION[way], key, int, value) for np in (hassium, numpy))
        assert ours == theirs, (key, value)


@pytest.mark.parametrize("way", BY_MASK)
def test_under_masks(way: str) -> None:
    for key, value in itertools.product(MASKS, VALUES):
        ours, theirs = (outcome(np, BY_MASK[way], key, bool, value) for np in (hassium, numpy))
        assert ours == theirs, (key, value)


def test_along_all_axes_of_a_transpose() -> None:
    a = hassium.arange(12).reshape(3, 4).T
    hassium.put_along_axis(a, hassium.array([1, 2]), hassium.array([55, 66]), axis=None)
    assert a.ravel().tolist() == [0, 55, 66, 1, 5, 9, 2, 6, 10, 3, 7, 11]


@pytest.mark.parametrize("write", ["a[[0, 1]] = [1, 2, 3]", "a[[]] = [1, 2]"])
def test_message(write: str) -> None:
    texts = []
    for np in (hassium, numpy):
        with pytest.raises(ValueError, match="shape") as caught:
            exec(write, {"a": np.arange(8)})
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
