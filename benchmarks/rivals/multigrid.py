"""V-cycles for numba: stencils as loops, interpolation as the program has it."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("multigrid")


@cache
def numba_residual() -> Any:
    import numba

    @numba.njit(parallel=True)
    def residual(u: Any, right: Any, out: Any) -> None:
        n = u.shape[0]
        for i in numba.prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    total = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                    total = total + u[i, j, k - 1] + u[i, j, k + 1]
                    out[i, j, k] = right[i, j, k] - (6.0 * u[i, j, k] - total)

    return residual


def smooth(u: Any, right: Any, work: Any) -> None:
    for _ in range(PROGRAM.SMOOTHINGS):
        numba_residual()(u, right, work)
        work *= PROGRAM.DAMPING / 6.0
        u += work


def cycle(np: Any, u: Any, right: Any) -> None:
    if u.shape[0] == 3:
        u[1, 1, 1] = right[1, 1, 1] / 6.0
        return
    work = np.zeros_like(u)
    smooth(u, right, work)
    numba_residual()(u, right, work)
    coarse_right = 4.0 * PROGRAM.restrict(np, work)
    correction = np.zeros_like(coarse_right)
    cycle(np, correction, coarse_right)
    u += PROGRAM.prolong(np, correction)
    smooth(u, right, work)


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    intervals, steps = size
    right = np.zeros((intervals + 1,) * 3, dtype=dtype)
    known = PROGRAM.solution(np, intervals, dtype)
    right[1:-1, 1:-1, 1:-1] = PROGRAM.laplacian(known)
    u = np.zeros_like(right)
    for _ in range(steps):
        cycle(np, u, right)
    return u
