"""Rosenbrock's function for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("rosenbrock")
Size = tuple[int, ...]


def ramp(np: Any, count: int, dtype: str) -> Any:
    return np.arange(count, dtype=dtype) / (count - 1)


@cache
def numba_value() -> Any:
    import numba

    @numba.njit(parallel=True)
    def value(x: Any, top: float) -> float:
        total = 0.0
        for i in numba.prange(x.size - 1):
            here, following = x[i] * top, x[i + 1] * top
            total += 100.0 * (following - here * here) ** 2 + (1.0 - here) ** 2
        return total

    return value


def numba(np: Any, size: Size, dtype: str) -> Any:
    count, steps = size
    x, value = ramp(np, count, dtype), numba_value()
    return np.array([value(x, PROGRAM.height(s, steps)) for s in range(steps)], dtype=dtype)


@cache
def jax_value() -> Any:
    import jax

    def value(x: Any, top: float) -> Any:
        here, following = (x * top)[:-1], (x * top)[1:]
        return jax.numpy.sum(100.0 * (following - here**2.0) ** 2.0 + (1.0 - here) ** 2.0)

    return jax.jit(value)


def jax(np: Any, size: Size, dtype: str) -> Any:
    import jax as library

    count, steps = size
    x = library.numpy.asarray(ramp(np, count, dtype))
    values = [float(jax_value()(x, PROGRAM.height(s, steps))) for s in range(steps)]
    return np.array(values, dtype=dtype)


def numexpr(np: Any, size: Size, dtype: str) -> Any:
    import numexpr as library

    count, steps = size
    x = ramp(np, count, dtype)
    names = {"a": x[:-1], "b": x[1:]}
    code = "sum(100 * (b * top - (a * top)**2)**2 + (1 - a * top)**2)"
    values = [
        float(library.evaluate(code, names | {"top": PROGRAM.height(s, steps)}))
        for s in range(steps)
    ]
    return np.array(values, dtype=dtype)
