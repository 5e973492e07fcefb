"""Successive over-relaxation of Laplace's equation, in red-black order.

A point moves beyond the mean of its four neighbours, u += omega (mean - u). The points of one
colour have neighbours of the other colour only, so all of one colour can move at once (Young,
Iterative Solution of Large Linear Systems, 1971). The grid is kept as four arrays, by even and odd
rows and columns: the neighbours are then plain slices. Each step sums the changes of the four
arrays and reads the sum, which decides whether to go on. Each edge of the grid has an even number
of points and keeps the harmonic function x^2 - y^2, to which the interior converges. The size is
rows * columns * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 20), "medium": (3500, 3500, 20), "paper": (12000, 12000, 20)}
EXACT = True  # only + - * and moves make the grid


def harmonic(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """x^2 - y^2, which the five-point Laplacian maps to zero exactly as the true one does."""
    scale = max(rows, columns) - 1
    y = np.arange(rows, dtype=dtype)[:, None] / scale
    x = np.arange(columns, dtype=dtype) / scale
    return x * x - y * y


def initial(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """The harmonic function on the edges and a constant inside."""
    grid = harmonic(np, rows, columns, dtype)
    grid[1:-1, 1:-1] = 1.0
    return grid


def relax(np: Any, points: Any, above: Any, below: Any, left: Any, right: Any, omega: float) -> Any:
    """Moves some points in place and returns the sum of the distances."""
    change = omega * (0.25 * ((above + below) + (left + right)) - points)
    points += change
    return np.sum(np.abs(change))


def run(np: Any, size: tuple[int, ...], dtype: str, tolerance: float = 0.0) -> Any:
    """Returns the grid after the given number of steps, or fewer if it has converged."""
    rows, columns, steps = size
    if rows % 2 or columns % 2:
        raise ValueError("rows and columns must be even")
    omega = 2.0 / (1.0 + math.sin(math.pi / max(rows, columns)))
    grid = initial(np, rows, columns, dtype)
    # Named by the parity of row and column: eo holds the even rows' odd columns.
    ee, eo = grid[0::2, 0::2].copy(), grid[0::2, 1::2].copy()
    oe, oo = grid[1::2, 0::2].copy(), grid[1::2, 1::2].copy()
    for _ in range(steps):
        delta = relax(np, ee[1:, 1:], oe[:-1, 1:], oe[1:, 1:], eo[1:, :-1], eo[1:, 1:], omega)
        delta += relax(
            np, oo[:-1, :-1], eo[:-1, :-1], eo[1:, :-1], oe[:-1, :-1], oe[:-1, 1:], omega
        )
        delta += relax(np, eo[1:, :-1], oo[:-1, :-1], oo[1:, :-1], ee[1:, :-1], ee[1:, 1:], omega)
        delta += relax(np, oe[:-1, 1:], ee[:-1, 1:], ee[1:, 1:], oo[:-1, :-1], oo[:-1, 1:], omega)
        if float(delta) <= tolerance:
            break
    grid[0::2, 0::2], grid[0::2, 1::2] = ee, eo
    grid[1::2, 0::2], grid[1::2, 1::2] = oe, oo
    return grid


def energy(np: Any, grid: Any) -> float:
    """Dirichlet's energy: the sum of squared differences between neighbours."""
    across = np.diff(grid, axis=1)[1:-1]
    down = np.diff(grid, axis=0)[:, 1:-1]
    return float((across * across).sum() + (down * down).sum())


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the edges, and that the energy falls, but not below the harmonic function's."""
    rows, columns, steps = size
    known = harmonic(np, rows, columns, result.dtype)
    for edge in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        assert (result[edge] == known[edge]).all(), "a step has written an edge"
    start = initial(np, rows, columns, "float64")
    before, after, least = (energy(np, grid.astype(np.float64)) for grid in (start, result, known))
    eps = float(np.finfo(result.dtype).eps)
    assert after < before, "the energy has not fallen"
    assert after >= least * (1 - 16 * eps), "less energy than the harmonic function has"
    if steps >= 5 * max(rows, columns):
        assert np.abs(result - known).max() <= 64 * max(rows, columns) * eps, "no convergence"


if __name__ == "__main__":
    import _cli

    options = {"tolerance": (0.0, "stop when the changes of a step add up to no more than this")}
    _cli.main(np, __doc__, SIZES, run, check, options)
