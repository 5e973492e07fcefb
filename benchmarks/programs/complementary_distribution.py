"""Complementary distribution functions and expected shortfalls of heavy-tailed densities.

The density of step k is that of Student's distribution with two degrees of freedom, stretched by a
scale s that changes with k, p(x) = s^2 / (s^2 + x^2)^(3/2) / 2 (Johnson, Kotz and Balakrishnan,
Continuous Univariate Distributions, 28), on an even grid. Sums from the right give the chance of
exceeding each x and the mean of what exceeds it, as risk measures need them (McNeil, Frey and
Embrechts, Quantitative Risk Management, 2.3). The size is points * steps; the result is the
average over the steps of both functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (1000, 10), "medium": (4000000, 10), "large": (40000000, 10)}
EXACT = False  # sums of many numbers may be taken in another order

REACH = 10.0  # of the grid to either side, in units of the largest scale


def scale(step: int) -> float:
    """Returns the scale of a step, between a half and one."""
    return 0.5 + 0.5 / (step + 1)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns the chance of exceeding each point, and the mean excess there, as two rows."""
    points, steps = size
    width = 2 * REACH / points
    x = ((np.arange(points, dtype=dtype) + 0.5) * width - REACH).astype(dtype)
    total = np.zeros((2, points), dtype=dtype)
    for step in range(steps):
        s = scale(step)
        spread = s * s + x * x
        density = (0.5 * width * s * s) / (spread * np.sqrt(spread))
        exceeded = np.cumsum(density[::-1], dtype=np.float64)[::-1]
        moment = np.cumsum((x * density)[::-1], dtype=np.float64)[::-1]
        total[0] += exceeded
        total[1] += moment / exceeded - x
    return total / steps


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks both rows against the antiderivatives of the density and of x times the density."""
    points, steps = size
    width = 2 * REACH / points
    x = np.arange(points) * width - REACH  # left edges of the cells, which the sums begin with
    middle = x + 0.5 * width
    chance, excess = np.zeros(points), np.zeros(points)
    for step in range(steps):
        s = scale(step)
        tail = 0.5 * (REACH / np.sqrt(s * s + REACH * REACH) - x / np.sqrt(s * s + x * x))
        moment = 0.5 * s * s * (1 / np.sqrt(s * s + x * x) - 1 / np.sqrt(s * s + REACH * REACH))
        chance += tail
        excess += moment / tail - middle
    slack = width * width + 0.5 * points * float(np.finfo(result.dtype).eps)
    inner = abs(middle) < 0.5 * REACH  # beyond, small numbers are differences of large ones
    assert np.abs(result[0] - chance / steps).max() <= slack, "a tail is wrong"
    gap = np.abs(result[1] - excess / steps)[inner] / (1 + np.abs(excess / steps))[inner]
    assert gap.max() <= 40 * slack, "a mean excess is wrong"
    assert (np.diff(result[0]) <= 0).all(), "a tail grows"
    assert np.isfinite(result).all(), "a mean excess is not finite"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
