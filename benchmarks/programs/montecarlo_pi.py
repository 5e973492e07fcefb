"""Monte Carlo estimate of pi: the share of random points of a unit square inside a quarter circle.

The points come from NumPy's own default generator with a fixed seed. Each step throws the same
number of new points and keeps the estimate from all points so far. The size is points * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (1000, 20), "medium": (6000000, 20), "paper": (100000000, 20)}
EXACT = True  # random points are the same, hits are counted

SEED = 2016


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The estimates of pi, one after every step."""
    points, steps = size
    random = np.random.default_rng(SEED)
    hits = []
    for _ in range(steps):
        x = random.random(points, dtype=dtype)
        y = random.random(points, dtype=dtype)
        hits.append(np.sum(np.sqrt(x**2 + y**2) <= 1.0))
    inside = np.cumsum(np.array([int(hit) for hit in hits]))
    return (4.0 * inside / (points * np.arange(1, steps + 1))).astype(dtype)


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that estimates are within five standard deviations of pi, and hits integers."""
    points, steps = size
    count = points * np.arange(1, steps + 1, dtype=np.float64)
    deviation = np.sqrt(math.pi * (4.0 - math.pi) / count)
    slack = 5 * deviation + 4 * float(np.finfo(result.dtype).eps)
    assert (np.abs(result - math.pi) <= slack).all(), "this is not pi"
    hits = result * count / 4
    assert (np.abs(hits - np.rint(hits)) <= hits * np.finfo(result.dtype).eps).all(), (
        "part of a hit"
    )


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
