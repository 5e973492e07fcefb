"""Heat equation: the temperature of a square plate whose edges are held at fixed temperatures.

The steady state solves Laplace's equation, so each interior point is the mean of its surroundings.
One Jacobi step replaces every interior point by the mean of itself and its four neighbours,

    u'[i, j] = (u[i, j] + u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1]) / 5,

which is damped Jacobi iteration for the five-point Laplacian (Saad, Iterative Methods for Sparse
Linear Systems, 4.1). The step ends with a scalar test: the sum of the changes is read and compared
with a tolerance. The size is rows * columns * steps, edges included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 20), "medium": (4000, 4000, 20), "paper": (12000, 12000, 20)}
EXACT = True  # only + * and moves make the plate

TOP, BOTTOM = 100.0, 0.0
RADIUS = 0.5


def slope(np: Any, rows: int, dtype: str) -> Any:
    """Returns temperatures that fall linearly from the top to the bottom edge, as a column."""
    fraction = np.arange(rows, dtype=dtype)[:, None] / (rows - 1)
    return TOP + (BOTTOM - TOP) * fraction


def initial(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """Returns a linear slope, which is a steady state, with a hot disc in the middle."""
    y = (2 * np.arange(rows, dtype=dtype)[:, None] - (rows - 1)) / (rows - 1)
    x = (2 * np.arange(columns, dtype=dtype) - (columns - 1)) / (columns - 1)
    base = slope(np, rows, dtype)
    return base + (x * x + y * y < RADIUS * RADIUS) * (TOP - base)


def run(np: Any, size: tuple[int, ...], dtype: str, tolerance: float = 0.0) -> Any:
    """Returns the plate after the given number of steps, or fewer if it has converged."""
    rows, columns, steps = size
    grid = initial(np, rows, columns, dtype)
    center = grid[1:-1, 1:-1]
    north, south = grid[:-2, 1:-1], grid[2:, 1:-1]
    west, east = grid[1:-1, :-2], grid[1:-1, 2:]
    for _ in range(steps):
        work = 0.2 * (center + (north + south) + (west + east))
        delta = float(np.sum(np.abs(work - center)))
        center[:] = work
        if delta <= tolerance:
            break
    return grid


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the edges, exact mirror symmetry, the maximum principle, and the heat budget.

    Heat above the slope leaves through the edges only, which it cannot reach in a few steps.
    """
    rows, columns, steps = size
    start = initial(np, rows, columns, result.dtype)
    for edge in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        assert (result[edge] == start[edge]).all(), "a step has written an edge"
    assert (result == result[:, ::-1]).all(), "the plate is not mirror symmetric"
    eps = float(np.finfo(result.dtype).eps)
    base = slope(np, rows, result.dtype)
    assert result.max() <= TOP * (1 + steps * eps), "hotter than the hottest point"
    assert (result - base).min() >= -TOP * steps * eps, "colder than without the disc"
    before, after = (float((grid - base).sum(dtype=np.float64)) for grid in (start, result))
    slack = steps * eps * TOP * result.size
    assert after <= before + slack, "heat has come from nowhere"
    if steps < (1 - RADIUS) / 2 * min(rows, columns) - 1:
        assert abs(after - before) <= slack, "heat has left before it reached an edge"


if __name__ == "__main__":
    import _cli

    options = {"tolerance": (0.0, "stop when the changes of a step add up to no more than this")}
    _cli.main(np, __doc__, SIZES, run, check, options)
