"""Blocks beyond the caches: results written past them, operands fetched ahead, in every layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair
from hassium.debug import captured

pytestmark = pytest.mark.usefixtures("simd_level")

N = 1_100_003


@pytest.fixture(autouse=True)
def prefetch() -> Iterator[None]:
    """Whether or not this processor would gain by it."""
    with hassium.config(prefetch="on"):
        yield


def combined(np: Any, a: Any, b: Any) -> list[Any]:
    total = a + b
    return [total, total * a - b]


def in_place(np: Any, a: Any, b: Any) -> list[Any]:
    a += b
    b[1:] = a[:-1] * b[1:]
    return [a, b]


def picked(np: Any, a: Any, b: Any) -> list[Any]:
    return [np.where(a < b, a, b + b), a == b, (a * b).sum(axis=-1, dtype="int64")]


VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "within": lambda x: x[3:-1],
    "backwards": lambda x: x[::-1],
    "rows": lambda x: x[:1_000_000].reshape(1000, 1000)[:, 1:-2],
    "turned": lambda x: x[:1_000_000].reshape(1000, 1000).T,
}


@pytest.mark.parametrize("program", [combined, in_place, picked])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtypes", [("float64", "float64"), ("int32", "int64"), ("int64", "int8")])
def test_bits(program: Any, view: str, dtypes: tuple[str, str]) -> None:
    values = [
        numpy.random.default_rng(k).integers(-5, 5, N).astype(dtype)
        for k, dtype in enumerate(dtypes)
    ]
    if program is in_place and dtypes[0] != "float64":
        values[1] = values[1].astype(dtypes[0])
    pair(lambda np, *arrays: program(np, *map(VIEWS[view], arrays)), *values)


@pytest.mark.usefixtures("cold_cache")
def test_sizes_change_sides() -> None:
    """Plans of small arrays are not those of large ones, in whichever order they come."""
    for n in (1000, N, 1001, N - 1, 2_000_000, 999):
        x, y = numpy.arange(n, dtype="float64"), numpy.arange(n, dtype="float64")[::-1].copy()
        found = (hassium.array(x) + hassium.array(y)) * 2.0
        numpy.testing.assert_array_equal(numpy.asarray(found), (x + y) * 2.0)


def far_apart(np: Any, x: Any, y: Any) -> list[Any]:
    """Two results that together exceed the caches, read in the block itself and after another."""
    apart = x.reshape(-1, 1) - y
    squares = apart * apart + y
    apart.reshape(-1)[:: len(y) + 1] = 1.0
    return [apart * squares, apart.sum(axis=0) > 0.0]


@pytest.mark.usefixtures("cold_cache")
@pytest.mark.parametrize("side", [700, 2100])
def test_what_comes_back_from_memory_was_written_past_the_caches(side: int) -> None:
    values = [numpy.random.default_rng(k).uniform(-1, 1, side) for k in range(2)]
    with captured() as raws:
        pair(far_apart, *values)
    first = raws[0]["plan"].split("nest ")[1]
    assert (" stream" in first) == (side == 2100), first


def scaled_rows(np: Any, x: Any) -> Any:
    below = x - x.max(axis=1, keepdims=True)
    return below / below.min(axis=1, keepdims=True)


@pytest.mark.usefixtures("cold_cache")
@pytest.mark.parametrize("rows", [990, 1000, 1001])
def test_results_of_panels_of_eight_megabytes_are_written_past_the_caches(rows: int) -> None:
    with captured() as raws:
        pair(scaled_rows, numpy.random.default_rng(rows).uniform(-9, 9, (rows, 1000)))
    phases = raws[0]["plan"].split("nest ")[1:]
    assert [" stream" in phase for phase in phases] == [False, False, rows >= 1000], phases
