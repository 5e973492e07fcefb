"""Means of 27 points for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("stencil_27")


def cube_of(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    linear, wave = PROGRAM.fields(np, size[:-1], dtype)
    return linear + wave


@cache
def numba_step() -> Any:
    import numba

    @numba.njit(parallel=True)
    def step(old: Any, new: Any) -> None:
        x, y, z = old.shape
        for i in numba.prange(1, x - 1):
            for j in range(1, y - 1):
                for k in range(1, z - 1):
                    total = 0.0
                    for a in range(i - 1, i + 2):
                        for b in range(j - 1, j + 2):
                            total += old[a, b, k - 1]
                            total += old[a, b, k]
                            total += old[a, b, k + 1]
                    new[i, j, k] = total / 27.0

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    old = cube_of(np, size, dtype)
    new, step = old.copy(), numba_step()
    for _ in range(size[-1]):
        step(old, new)
        old, new = new, old
    return old


@cache
def jax_step() -> Any:
    import jax

    def step(cube: Any) -> Any:
        x, y, z = cube.shape
        total = sum(
            cube[i : x - 2 + i, j : y - 2 + j, k : z - 2 + k]
            for i in range(3)
            for j in range(3)
            for k in range(3)
        )
        return cube.at[1:-1, 1:-1, 1:-1].set(total / 27.0)

    return jax.jit(step, donate_argnums=0)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    cube = library.numpy.asarray(cube_of(np, size, dtype))
    for _ in range(size[-1]):
        cube = jax_step()(cube)
    return cube
