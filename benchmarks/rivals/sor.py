"""Red-black relaxation for libraries that compile; in place on the whole grid by numba."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("sor")
# The parities of row and column, in the order in which the program updates them.
QUARTERS = ((0, 0), (1, 1), (0, 1), (1, 0))


def start(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, float]:
    omega = 2.0 / (1.0 + math.sin(math.pi / max(size[0], size[1])))
    return PROGRAM.initial(np, *size[:2], dtype), omega


@cache
def numba_relax() -> Any:
    import numba

    @numba.njit(parallel=True)
    def relax(grid: Any, row: int, column: int, omega: float) -> float:
        rows, columns = grid.shape
        top, left = row if row else 2, column if column else 2
        delta = 0.0
        for number in numba.prange((rows - top) // 2):
            i = top + 2 * number
            along = 0.0
            for j in range(left, columns - 1, 2):
                around = (grid[i - 1, j] + grid[i + 1, j]) + (grid[i, j - 1] + grid[i, j + 1])
                change = omega * (0.25 * around - grid[i, j])
                grid[i, j] += change
                along += abs(change)
            delta += along
        return delta

    return relax


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    grid, omega = start(np, size, dtype)
    relax = numba_relax()
    for _ in range(size[2]):
        if sum(relax(grid, row, column, omega) for row, column in QUARTERS) <= 0.0:
            break
    return grid


@cache
def jax_step() -> Any:
    import jax

    def points(k: int) -> Any:
        return slice(1, None) if k == 0 else slice(None, -1)

    def step(quarters: dict[tuple[int, int], Any], omega: float) -> Any:
        delta = 0.0
        for row, column in QUARTERS:
            here = (points(row), points(column))
            vertical, horizontal = quarters[1 - row, column], quarters[row, 1 - column]
            old = quarters[row, column][here]
            above, below = vertical[:-1, here[1]], vertical[1:, here[1]]
            left, right = horizontal[here[0], :-1], horizontal[here[0], 1:]
            change = omega * (0.25 * ((above + below) + (left + right)) - old)
            quarters[row, column] = quarters[row, column].at[here].add(change)
            delta += jax.numpy.sum(jax.numpy.abs(change))
        return quarters, delta

    return jax.jit(step, donate_argnums=0)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    grid, omega = start(np, size, dtype)
    quarters = {(r, c): library.numpy.asarray(grid[r::2, c::2]) for r, c in QUARTERS}
    for _ in range(size[2]):
        quarters, delta = jax_step()(quarters, omega)
        if float(delta) <= 0.0:
            break
    for (row, column), values in quarters.items():
        grid[row::2, column::2] = values
    return grid
