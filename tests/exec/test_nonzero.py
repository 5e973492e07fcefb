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
    with hassium.config(threads=threads, parallelize="on"):
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


LAST = 100_000 - 1
RUNS = [32767, 32768, 65535, 65536]
FEW: dict[str, list[int]] = {
    "first": [0],
    "last": [LAST],
    "ends of a mask": [63, 64, 127, 128],
    "ends of runs": RUNS,
    "so many of 64": [64 + k for k in range(8)] + [6400 + 2 * k for k in range(9)],
    "many, then few": [*range(3000), *range(3000, LAST, 997)],
    "few, then many": [*range(0, 96_000, 997), *range(97_000, LAST + 1)],
    "all of a run": [5, *range(32768, 65536), LAST],
    "all but one of 64": [k for k in range(LAST) if k % 64],
    "last of 64": [*range(63, LAST, 64)],
}


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "f2", "f4", "i8", "c8", "f8", "c16"])
@pytest.mark.parametrize("few", FEW)
def test_few_and_many(few: str, dtype: str) -> None:
    mask = numpy.zeros(LAST + 1, bool)
    mask[FEW[few]] = True
    x = numpy.random.default_rng(8).integers(0, 100, mask.size).astype(dtype)
    for size in (mask.size, 40_000, 4096, 999):
        part, own = mask[-size:], hassium.array(mask)[-size:]
        same(hassium.flatnonzero(own), numpy.flatnonzero(part))
        same(hassium.array(x)[-size:][own], x[-size:][part])
        same(hassium.array(x)[::-1][:size][own], x[::-1][:size][part])
        same(hassium.count_nonzero(own), numpy.asarray(numpy.count_nonzero(part)))
        target, copy = hassium.array(x), x.copy()
        target[-size:][own], copy[-size:][part] = 1, 1
        same(target, copy)
        values = numpy.random.default_rng(9).integers(0, 100, int(part.sum())).astype(dtype)
        target[-size:][own], copy[-size:][part] = hassium.array(values), values
        target[::-1][:size][own], copy[::-1][:size][part] = hassium.array(values), values
        same(target, copy)
    square, own = mask.reshape(250, 400), hassium.array(mask).reshape(250, 400)
    for found, wanted in zip(hassium.nonzero(own), numpy.nonzero(square), strict=True):
        same(found, wanted)
    same(hassium.array(x).reshape(250, 400)[own], x.reshape(250, 400)[square])


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (1, 7), (7, 1), (40, 1, 30), (0, 4), (4, 0, 2), (2, 3, 1, 2, 5), (900, 3)]
)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_several_axes(shape: tuple[int, ...], share: float) -> None:
    draw = numpy.random.default_rng(10)
    mask = draw.random(shape) < share
    x = draw.integers(0, 100, shape)
    own, ours = hassium.array(mask), hassium.array(x)
    for turn in (lambda a: a, lambda a: a.T, lambda a: a[::-1, ..., ::-1]):
        for found, wanted in zip(
            hassium.nonzero(turn(own)), numpy.nonzero(turn(mask)), strict=True
        ):
            same(found, wanted)
        same(turn(ours)[turn(own)], turn(x)[turn(mask)])
        same(ours.T[own.T.copy()], x.T[mask.T])
        copy, target = x.copy(), hassium.array(x)
        values = draw.integers(0, 9, int(mask.sum()))
        turn(target)[turn(own)], turn(copy)[turn(mask)] = hassium.array(values), values
        same(target, copy)
        assert hassium.count_nonzero(turn(own)) == numpy.count_nonzero(mask)
        where, theirs = hassium.nonzero(turn(own)), numpy.nonzero(turn(mask))
        same(turn(ours)[where], turn(x)[theirs])


def test_transposed_and_few() -> None:
    """Positions along each axis, where no one line holds the elements."""
    x = numpy.arange(120_000).reshape(300, 400)
    mask = numpy.zeros((400, 300), bool)
    mask[[0, 0, 17, 399], [0, 299, 5, 299]] = True
    own, ours = hassium.array(mask), hassium.array(x)
    same(ours.T[own], x.T[mask])
    ours.T[own] = hassium.array([1, 2, 3, 4])
    x.T[mask] = [1, 2, 3, 4]
    same(ours, x)


def test_values_that_share_memory() -> None:
    for n in (40, 5000):
        theirs = numpy.arange(n)
        mask = theirs % 3 == 1
        ours, own = hassium.array(theirs), hassium.array(mask)
        count = int(mask.sum())
        ours[own], theirs[mask] = ours[:count], theirs[:count].copy()
        ours[::-1][own], theirs[::-1][mask] = ours[-count:], theirs[-count:].copy()
        same(ours, theirs)
        own[own], mask[mask] = own[:count], mask[:count].copy()
        same(own, mask)


def test_values_of_another_number() -> None:
    for n in (40, 5000):
        ours, own = hassium.zeros(n), hassium.arange(n) % 2 == 0
        hassium.flush()
        with pytest.raises(ValueError, match="cannot assign"):
            ours[own] = hassium.ones(n // 2 + 1)
        ours[own] = hassium.ones(1)
        assert float(ours.sum()) == n // 2


def test_one_value_waits() -> None:
    ours, own = hassium.zeros(5000), hassium.arange(5000) % 2 == 0
    one = hassium.ones(1)
    one.flatten()[0]
    before = hassium.stats()["flushes"]
    ours[own] = one
    ours[own] = 2.0
    assert hassium.stats()["flushes"] == before
    assert float(ours.sum()) == 5000.0


def test_masks_that_are_pending() -> None:
    x = numpy.random.default_rng(11).normal(size=5000)
    own = hassium.array(x)
    same(own[own > 0.5], x[x > 0.5])
    y, own = x * 2.0, own * 2.0
    same(own[own > 0.5], y[y > 0.5])
    own[own > 1.0] = hassium.array(y[y > 1.0] + 1)
    y[y > 1.0] += 1
    same(own, y)
    own += 1
    same(own[hassium.array(x > 0)], (y + 1)[x > 0])


def test_positions_belong_to_the_time_of_the_call() -> None:
    mask = hassium.array(numpy.arange(5000) % 3 == 0)
    x = hassium.arange(5000)
    chosen, where = x[mask], hassium.flatnonzero(mask)
    mask[:] = False
    x += 1
    same(chosen, numpy.arange(0, 5000, 3))
    same(where, numpy.arange(0, 5000, 3))
    same(x[where], numpy.arange(1, 5001, 3))
