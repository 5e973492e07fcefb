"""What a mask chooses, and where it is true: found by runs, of views that merge and that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

pytestmark = pytest.mark.usefixtures("simd_level")

VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "columns": lambda x: x[:, 1:-1],
    "rows": lambda x: x[1:-1],
    "middle": lambda x: x[2:-1, 3:-2],
    "few columns": lambda x: x[:, :3],
    "second rows": lambda x: x[::2],
    "second columns": lambda x: x[:, ::2],
    "back": lambda x: x[::-1],
    "turned": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "transposed part": lambda x: x[:, 2:9].T,
    "row": lambda x: x[3],
    "column": lambda x: x[:, 3],
    "empty": lambda x: x[:, :0],
    "planes": lambda x: x.reshape(x.shape[0], -1, 10)[:, 1:3],
    "planes' rows": lambda x: x.reshape(x.shape[0], -1, 10)[:, :, 1:-1],
    "repeated": lambda x: numpy.broadcast_to(x[:1], x.shape),
}


def same(ours: Any, theirs: Any) -> None:
    found = numpy.asarray(ours)
    assert found.dtype == theirs.dtype
    numpy.testing.assert_array_equal(found, theirs)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("view", VIEWS)
def test_masks_of_views(view: str, threads: int, share: float) -> None:
    draw = numpy.random.default_rng(6)
    x = draw.integers(0, 1000, (700, 110)).astype("i4")
    theirs = VIEWS[view](x)
    mask = draw.random(theirs.shape) < share
    with hassium.config(threads=threads, share="on"):
        own = hassium.array(x)
        if view == "repeated":
            ours = hassium.broadcast_to(own[:1], x.shape)
        else:
            ours = VIEWS[view](own)
        same(ours[hassium.array(mask)], theirs[mask])
        same(ours[mask], theirs[mask])
        same(ours[ours > 500], theirs[theirs > 500])
        for found, wanted in zip(
            hassium.nonzero(ours > 500), numpy.nonzero(theirs > 500), strict=True
        ):
            same(found, wanted)
        target, copy = ours.copy(), theirs.copy()
        values = draw.integers(0, 9, int(mask.sum())).astype("i4")
        target[hassium.array(mask)] = hassium.array(values)
        copy[mask] = values
        same(target, copy)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000, 32768, 32769, 100_000])
def test_positions(size: int) -> None:
    draw = numpy.random.default_rng(size)
    x = draw.integers(0, 3, size)
    for values in (x, x * 1.5, x > 1, x > 5, x < 5, x.astype("u1").view("?"), x * 1j):
        own = hassium.array(values)
        same(hassium.nonzero(own)[0], numpy.nonzero(values)[0])
        same(hassium.flatnonzero(own[::-1]), numpy.flatnonzero(values[::-1]))
        chosen = values != 0
        same(hassium.compress(chosen, own), numpy.compress(chosen, values))
        same(hassium.extract(hassium.array(chosen), own), numpy.extract(chosen, values))
        same(
            hassium.compress(chosen[: size // 2], own), numpy.compress(chosen[: size // 2], values)
        )


def test_positions_belong_to_the_time_of_the_call() -> None:
    mask = hassium.array(numpy.arange(5000) % 3 == 0)
    x = hassium.arange(5000)
    chosen, where = x[mask], hassium.flatnonzero(mask)
    mask[:] = False
    x += 1
    same(chosen, numpy.arange(0, 5000, 3))
    same(where, numpy.arange(0, 5000, 3))
    same(x[where], numpy.arange(1, 5001, 3))
