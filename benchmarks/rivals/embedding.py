"""Training of embeddings for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("embedding")


def initial(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, Any, Any]:
    words, count, width, _ = size
    bags = PROGRAM.samples(np, words, count)
    return PROGRAM.start(np, words, width, dtype), bags, PROGRAM.wanted(np, count, width, dtype)


@cache
def numba_step() -> Any:
    import numba
    import numpy as np

    rate = PROGRAM.RATE

    @numba.njit(parallel=True)
    def errors(table: Any, bags: Any, target: Any) -> Any:
        error = np.empty_like(target)
        for i in numba.prange(bags.shape[0]):
            for k in range(table.shape[1]):
                total = table[bags[i, 0], k]
                for j in range(1, bags.shape[1]):
                    total += table[bags[i, j], k]
                error[i, k] = (total / bags.shape[1] - target[i, k]) / bags.shape[1]
        return error

    @numba.njit
    def step(table: Any, bags: Any, target: Any) -> None:
        error, gradient = errors(table, bags, target), np.zeros_like(table)
        for i in range(bags.shape[0]):
            for j in range(bags.shape[1]):
                for k in range(table.shape[1]):
                    gradient[bags[i, j], k] += error[i, k]
        table -= rate * gradient

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    table, bags, target = initial(np, size, dtype)
    step = numba_step()
    for _ in range(size[3]):
        step(table, bags, target)
    return table


@cache
def jax_step() -> Any:
    import jax

    def step(table: Any, bags: Any, target: Any) -> Any:
        error = table[bags].mean(axis=1) - target
        gradient = jax.numpy.zeros_like(table).at[bags].add(error[:, None, :] / PROGRAM.BAG)
        return table - PROGRAM.RATE * gradient

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    table, bags, target = initial(np, size, dtype)
    step = jax_step()
    for _ in range(size[3]):
        table = step(table, bags, target)
    return table
