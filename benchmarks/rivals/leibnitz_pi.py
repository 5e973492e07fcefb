"""Leibniz' series for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any


def estimates(np: Any, quarters: list[float], dtype: str) -> Any:
    return (4.0 * np.cumsum(np.array(quarters))).astype(dtype)


@cache
def numba_part() -> Any:
    import numba

    @numba.njit(parallel=True)
    def part(begin: int, end: int) -> float:
        total = 0.0
        for k in numba.prange(begin, end):
            total += 1 / (4 * k + 1) - 1 / (4 * k + 3)
        return total

    return part


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    pairs, steps = size
    part = numba_part()
    return estimates(np, [part(s * pairs, (s + 1) * pairs) for s in range(steps)], dtype)


@cache
def jax_part() -> Any:
    import jax

    def part(begin: int, count: int) -> Any:
        k = begin + jax.numpy.arange(count)
        return jax.numpy.sum(1 / (4 * k + 1) - 1 / (4 * k + 3))

    return jax.jit(part, static_argnums=1)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    pairs, steps = size
    return estimates(np, [float(jax_part()(s * pairs, pairs)) for s in range(steps)], dtype)


def numexpr(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import numexpr as library

    pairs, steps = size
    parts = []
    for step in range(steps):
        k = np.arange(step * pairs, (step + 1) * pairs)
        parts.append(float(library.evaluate("sum(1.0 / (4 * k + 1) - 1.0 / (4 * k + 3))")))
        del k
    return estimates(np, parts, dtype)
