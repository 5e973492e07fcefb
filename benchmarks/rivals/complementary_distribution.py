"""Sums from the right for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("complementary_distribution")


def grid(np: Any, points: int, dtype: str) -> tuple[Any, float]:
    """Middles of the cells, and their width."""
    width = 2 * PROGRAM.REACH / points
    return ((np.arange(points, dtype=dtype) + 0.5) * width - PROGRAM.REACH).astype(dtype), width


@cache
def numba_step() -> Any:
    import numba

    @numba.njit
    def step(x: Any, width: float, s: float, total: Any) -> None:
        exceeded = moment = 0.0
        for i in range(x.size - 1, -1, -1):
            spread = s * s + x[i] * x[i]
            density = (0.5 * width * s * s) / (spread * spread**0.5)
            exceeded += density
            moment += x[i] * density
            total[0, i] += exceeded
            total[1, i] += moment / exceeded - x[i]

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    points, steps = size
    x, width = grid(np, points, dtype)
    total, add = np.zeros((2, points), dtype=dtype), numba_step()
    for step in range(steps):
        add(x, width, PROGRAM.scale(step), total)
    return total / steps


@cache
def jax_step() -> Any:
    import jax

    def step(x: Any, width: float, s: float, total: Any) -> Any:
        np = jax.numpy
        spread = s * s + x * x
        density = (0.5 * width * s * s) / (spread * np.sqrt(spread))
        exceeded = np.cumsum(density[::-1])[::-1]
        moment = np.cumsum((x * density)[::-1])[::-1]
        return total + np.stack([exceeded, moment / exceeded - x])

    return jax.jit(step, donate_argnums=3)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    points, steps = size
    x, width = grid(np, points, dtype)
    total, add = library.numpy.zeros((2, points), dtype=dtype), jax_step()
    for step in range(steps):
        total = add(x, width, PROGRAM.scale(step), total)
    return total / steps


def numexpr(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import numexpr as library

    points, steps = size
    x, width = grid(np, points, dtype)
    total = np.zeros((2, points), dtype=dtype)
    for step in range(steps):
        s = PROGRAM.scale(step)
        names = {"x": x, "a": np.dtype(dtype).type(s * s)}
        names["h"] = np.dtype(dtype).type(0.5 * width * s * s)
        density = library.evaluate("h / ((a + x * x) * sqrt(a + x * x))", names)
        names = {"x": x, "d": density}
        exceeded = np.cumsum(density[::-1])[::-1]
        moment = np.cumsum(library.evaluate("x * d", names)[::-1])[::-1]
        total[0] += exceeded
        names = {"t": total[1], "x": x, "e": exceeded, "m": moment}
        library.evaluate("t + (m / e - x)", names, out=total[1])
    return total / steps
