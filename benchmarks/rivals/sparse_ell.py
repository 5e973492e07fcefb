"""Products with padded rows for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("sparse_ell")


@cache
def numba_product() -> Any:
    import numba
    import numpy as np

    @numba.njit(parallel=True)
    def product(values: Any, columns: Any, x: Any) -> Any:
        result = np.empty_like(x)
        for i in numba.prange(x.size):
            total = values[0, i] * x[columns[0, i]]
            for k in range(1, values.shape[0]):
                total += values[k, i] * x[columns[k, i]]
            result[i] = total
        return result

    return product


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, entries, steps = size
    matrix, product = PROGRAM.matrix(np, rows, entries, dtype), numba_product()
    known, diagonal = PROGRAM.solution(np, rows, dtype), PROGRAM.DIAGONAL
    right = diagonal * known + product(*matrix, known)
    x = np.zeros(rows, dtype=dtype)
    for _ in range(steps):
        x = (right - product(*matrix, x)) / diagonal
    return x


@cache
def jax_step() -> Any:
    import jax

    def step(values: Any, columns: Any, right: Any, x: Any) -> Any:
        return (right - (values * x[columns]).sum(axis=0)) / PROGRAM.DIAGONAL

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, entries, steps = size
    values, columns = PROGRAM.matrix(np, rows, entries, dtype)
    known = PROGRAM.solution(np, rows, dtype)
    right = PROGRAM.DIAGONAL * known + (values * known[columns]).sum(axis=0)
    x, step = np.zeros(rows, dtype=dtype), jax_step()
    for _ in range(steps):
        x = step(values, columns, right, x)
    return x
