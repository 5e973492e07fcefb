"""Gaussian elimination for numba; shapes that shrink would be compiled anew by JAX each step."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("gauss")


@cache
def numba_step() -> Any:
    import numba

    @numba.njit(parallel=True)
    def step(a: Any, k: int) -> None:
        n = a.shape[0]
        for i in numba.prange(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    n, repeats = size
    r = PROGRAM.powers(np, n, dtype)
    matrix = np.minimum(r[:, None] / r, r / r[:, None])
    step = numba_step()
    for _ in range(repeats):
        a = matrix.copy()
        for k in range(n - 1):
            step(a, k)
        a /= np.diagonal(a)[:, None].copy()
    return a
