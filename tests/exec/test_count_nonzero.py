"""Sums and means of bools, which count what is true instead of adding numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from simd_levels import LEVELS

SHAPES = [(1,), (7,), (1000,), (100_001,), (3, 5), (70, 33), (40, 300), (5, 20_000), (4, 6, 130)]


def agrees(count: Callable[[Any, Any], Any], shape: tuple[int, ...], **settings: Any) -> None:
    values = numpy.random.default_rng(5).integers(0, 9, shape).astype(float)
    theirs = numpy.asarray(count(numpy, values))
    with np.config(eager_elements=0, **settings):
        ours = np.asarray(count(np, np.array(values))).to_numpy()
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(ours, theirs)


COUNTS: list[Callable[[Any, Any], Any]] = [
    lambda m, x: (x > 4).sum(),
    lambda m, x: (x > 4).sum(axis=-1),
    lambda m, x: (x > 4).sum(axis=0),
    lambda m, x: (x > 4).mean(),
    lambda m, x: (x > 4).mean(axis=-1),
    lambda m, x: (x > 4).sum(dtype="i4"),
    lambda m, x: (x > 4).sum(dtype="f4"),
    lambda m, x: (x > 4).sum(axis=-1, keepdims=True, initial=5),
    lambda m, x: (x > 4).sum(where=x > 2),
    lambda m, x: m.count_nonzero(x - 4, axis=-1),
    lambda m, x: m.count_nonzero((x > 4) & (x < 7)),
    lambda m, x: (x > 4)[..., ::2].sum(axis=-1),
    lambda m, x: (x > 4)[::-1].T.sum(axis=-1),
    lambda m, x: x[x > 4].size + (x > 4).sum() + (x * (x > 4)).sum(),
    lambda m, x: x.astype("u1").view(bool).sum(axis=-1),
    lambda m, x: m.add.reduce(m.broadcast_to(x[..., :1] > 4, x.shape), axis=-1),
]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_counts(count: Callable[[Any, Any], Any], shape: tuple[int, ...]) -> None:
    agrees(count, shape, threads=1)
    agrees(count, shape, threads=3, parallelize="on")


@pytest.mark.parametrize("level", LEVELS)
def test_counts_on_every_level(level: str) -> None:
    for count in COUNTS:
        agrees(count, (40, 300), simd=level)
