"""Products with compressed rows for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("sparse_csr")


@cache
def numba_product() -> Any:
    import numba
    import numpy as np

    @numba.njit(parallel=True)
    def product(values: Any, columns: Any, starts: Any, x: Any) -> Any:
        result = np.empty_like(x)
        for i in numba.prange(x.size):
            end = starts[i + 1] if i + 1 < x.size else values.size
            total = 0.0
            for k in range(starts[i], end):
                total += values[k] * x[columns[k]]
            result[i] = total
        return result

    return product


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, mean, steps = size
    matrix, product = PROGRAM.matrix(np, rows, mean, dtype), numba_product()
    known, diagonal = PROGRAM.solution(np, rows, dtype), PROGRAM.DIAGONAL
    right = diagonal * known + product(*matrix, known)
    x = np.zeros(rows, dtype=dtype)
    for _ in range(steps):
        x = (right - product(*matrix, x)) / diagonal
    return x


@cache
def jax_step() -> Any:
    import jax

    def step(values: Any, columns: Any, row: Any, right: Any, x: Any) -> Any:
        products = values * x[columns]
        sums = jax.ops.segment_sum(products, row, num_segments=x.size, indices_are_sorted=True)
        return (right - sums) / PROGRAM.DIAGONAL

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, mean, steps = size
    values, columns, starts = PROGRAM.matrix(np, rows, mean, dtype)
    row = np.repeat(np.arange(rows), np.diff(starts, append=values.size))
    known = PROGRAM.solution(np, rows, dtype)
    right = PROGRAM.DIAGONAL * known + np.add.reduceat(values * known[columns], starts)
    x, step = np.zeros(rows, dtype=dtype), jax_step()
    for _ in range(steps):
        x = step(values, columns, row, right, x)
    return x
