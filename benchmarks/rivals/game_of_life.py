"""The Game of Life for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("game_of_life")


@cache
def numba_step() -> Any:
    import numba

    @numba.njit(parallel=True)
    def step(old: Any, new: Any) -> None:
        rows, columns = old.shape
        for i in numba.prange(1, rows - 1):
            for j in range(1, columns - 1):
                count = old[i - 1, j - 1] + old[i - 1, j] + old[i - 1, j + 1]
                count += old[i, j - 1] + old[i, j] + old[i, j + 1]
                count += old[i + 1, j - 1] + old[i + 1, j] + old[i + 1, j + 1]
                new[i, j] = (count == 3) or (count == 4 and old[i, j] == 1)

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    old = PROGRAM.initial(np, *size[:2], dtype)
    new, step = old.copy(), numba_step()
    for _ in range(size[2]):
        step(old, new)
        old, new = new, old
    return old


@cache
def jax_step() -> Any:
    import jax

    def step(grid: Any) -> Any:
        rows, columns = grid.shape
        count = sum(grid[i : rows - 2 + i, j : columns - 2 + j] for i in range(3) for j in range(3))
        alive = (count == 3) | ((count == 4) & (grid[1:-1, 1:-1] == 1))
        return grid.at[1:-1, 1:-1].set(alive.astype(grid.dtype))

    return jax.jit(step, donate_argnums=0)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    grid = library.numpy.asarray(PROGRAM.initial(np, *size[:2], dtype))
    for _ in range(size[2]):
        grid = jax_step()(grid)
    return grid
