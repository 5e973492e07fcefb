"""Jacobi steps for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("heat_equation")


@cache
def numba_step() -> Any:
    import numba

    @numba.njit(parallel=True)
    def step(old: Any, new: Any) -> float:
        delta = 0.0
        for i in numba.prange(1, old.shape[0] - 1):
            row = 0.0
            for j in range(1, old.shape[1] - 1):
                north_south = old[i - 1, j] + old[i + 1, j]
                new[i, j] = 0.2 * (old[i, j] + north_south + (old[i, j - 1] + old[i, j + 1]))
                row += abs(new[i, j] - old[i, j])
            delta += row
        return delta

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    old = PROGRAM.initial(np, *size[:2], dtype)
    new, step = old.copy(), numba_step()
    for _ in range(size[2]):
        delta = step(old, new)
        old, new = new, old
        if delta <= 0.0:
            break
    return old


@cache
def jax_step() -> Any:
    import jax

    def step(grid: Any) -> Any:
        center = grid[1:-1, 1:-1]
        vertical = grid[:-2, 1:-1] + grid[2:, 1:-1]
        work = 0.2 * (center + vertical + (grid[1:-1, :-2] + grid[1:-1, 2:]))
        delta = jax.numpy.sum(jax.numpy.abs(work - center))
        return grid.at[1:-1, 1:-1].set(work), delta

    return jax.jit(step, donate_argnums=0)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    grid = library.numpy.asarray(PROGRAM.initial(np, *size[:2], dtype))
    for _ in range(size[2]):
        grid, delta = jax_step()(grid)
        if float(delta) <= 0.0:
            break
    return grid
