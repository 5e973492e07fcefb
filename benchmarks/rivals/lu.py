"""LU factorisation for numba; shapes that shrink would be compiled anew by JAX each step."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("lu")


@cache
def numba_step() -> Any:
    import numba

    @numba.njit(parallel=True)
    def step(lower: Any, upper: Any, k: int) -> None:
        n = upper.shape[0]
        for i in numba.prange(k + 1, n):
            factor = upper[i, k] / upper[k, k]
            lower[i, k] = factor
            upper[i, k] = 0.0
            for j in range(k + 1, n):
                upper[i, j] -= factor * upper[k, j]

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    n, repeats = size
    matrix = PROGRAM.lehmer(np, n, dtype)
    step = numba_step()
    for _ in range(repeats):
        lower, upper = np.identity(n, dtype=dtype), matrix.copy()
        for k in range(n - 1):
            step(lower, upper, k)
    return np.stack((lower, upper))
