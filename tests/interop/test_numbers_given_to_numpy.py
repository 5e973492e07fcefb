"""Lazy scalars where NumPy converts numbers: its own scalars are cast, Python's are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from array_pairs import case_outcome


def number(m: Any, *values: Any) -> Any:
    """Of hassium a lazy one: their sum."""
    return m.array(values).sum()


def put(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


def put_flat(array: Any, key: Any, value: Any) -> Any:
    array.flat[key] = value
    return array


IN_LISTS: dict[str, Callable[[Any], Any]] = {
    "negative": lambda m: m.array([number(m, -1, -2)], "u1"),
    "negative float": lambda m: m.array([number(m, -1.0, -2.0), 1], "u1"),
    "too large": lambda m: m.asarray([number(m, 200, 200)], "i1"),
    "nan": lambda m: m.array([number(m, 1.0, numpy.nan)], "i4"),
    "in rows": lambda m: m.array([[number(m, -3, 1), 1], (2, number(m, 4, 5))], "u2"),
    "among bools": lambda m: m.array([number(m, 1, 2), True]),
    "text": lambda m: m.array([number(m, 1, 2), "x"]),
    "put": lambda m: put(m.arange(3, dtype="u1"), slice(0, 2), [number(m, -3, 1), 7]),
    "put by a mask": lambda m: put(m.arange(3, dtype="u1"), m.arange(3) > 0, (number(m, -3), 7)),
    "within itself": lambda m: m.array(_within_itself(number(m, 1, 2)), dtype=object).size,
}
ELSEWHERE: dict[str, Callable[[Any], Any]] = {
    "sum from nan": lambda m: m.sum(m.arange(3), initial=number(m, 1.0, numpy.nan)),
    "max from infinity": lambda m: m.max(m.arange(3), initial=number(m, 1.0, numpy.inf)),
    "max from a negative": lambda m: m.max(m.arange(3, dtype="u1"), initial=number(m, -3, 1)),
    "sum from a part": lambda m: m.sum(m.arange(3), initial=number(m, 2.5, 2)),
    "sum from an array": lambda m: m.sum(m.arange(3), initial=m.array(2.0)),
    "mask": lambda m: m.exp(m.ones(3), out=m.zeros(3), where=number(m, 1.0, 2)),
    "mask that leaves nothing": lambda m: m.exp(m.ones(3), out=m.zeros(3), where=number(m, 1, -1)),
    "mask of a mean": lambda m: m.mean(m.arange(3.0), where=number(m, 2)),
    "nan in flat": lambda m: put_flat(m.arange(3), 0, number(m, 1.0, numpy.nan)),
    "nan in all of flat": lambda m: put_flat(m.arange(3), slice(None), number(m, numpy.nan)),
    "float in flat": lambda m: put_flat(m.arange(3), 0, number(m, 1.0, 1.7)),
}


def _within_itself(value: Any) -> list[Any]:
    lists: list[Any] = [value]
    lists += [lists, lists]
    return lists


@pytest.mark.parametrize("case", (IN_LISTS | ELSEWHERE).values(), ids=IN_LISTS | ELSEWHERE)
@pytest.mark.parametrize("eager", [0, 256])
def test_as_numpys_scalars(case: Callable[[Any], Any], eager: int) -> None:
    with np.config(eager_elements=eager):
        assert case_outcome(case, np) == case_outcome(case, numpy)
