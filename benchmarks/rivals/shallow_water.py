"""Waves in a basin for libraries that compile: the program's own half steps, by JAX's arrays."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("shallow_water")
STEP, GRAVITY = PROGRAM.STEP, PROGRAM.GRAVITY


def start(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, Any, Any]:
    h = PROGRAM.initial(np, *size[:2], dtype)
    return h, np.zeros_like(h), np.zeros_like(h)


@cache
def numba_step() -> Any:
    import numba

    @numba.njit
    def pressure(h: float, u: float) -> float:
        return u * u / h + 0.5 * GRAVITY * h * h

    @numba.njit
    def half(h0: float, h1: float, u0: float, u1: float, v0: float, v1: float) -> Any:
        """Height, momentum across the edge of two cells, and momentum along it."""
        h = 0.5 * (h1 + h0) - 0.5 * STEP * (u1 - u0)
        u = 0.5 * (u1 + u0) - 0.5 * STEP * (pressure(h1, u1) - pressure(h0, u0))
        v = 0.5 * (v1 + v0) - 0.5 * STEP * (u1 * v1 / h1 - u0 * v0 / h0)
        return h, u, v

    @numba.njit(parallel=True)
    def step(h: Any, u: Any, v: Any, down: Any, across: Any) -> None:
        """Fluxes of height, momentum across and momentum along an edge first, then the cells."""
        rows, columns = h.shape
        for i in numba.prange(rows - 1):
            for j in range(1, columns - 1):
                a, b, c = half(h[i, j], h[i + 1, j], u[i, j], u[i + 1, j], v[i, j], v[i + 1, j])
                down[0, i, j], down[1, i, j], down[2, i, j] = b, pressure(a, b), b * c / a
        for i in numba.prange(1, rows - 1):
            for j in range(columns - 1):
                a, b, c = half(h[i, j], h[i, j + 1], v[i, j], v[i, j + 1], u[i, j], u[i, j + 1])
                across[0, i, j], across[1, i, j], across[2, i, j] = b, pressure(a, b), b * c / a
        for i in numba.prange(1, rows - 1):
            for j in range(1, columns - 1):
                d, e, f = (down[0], down[1], down[2])
                p, q, r = (across[0], across[1], across[2])
                h[i, j] -= STEP * ((d[i, j] - d[i - 1, j]) + (p[i, j] - p[i, j - 1]))
                u[i, j] -= STEP * ((e[i, j] - e[i - 1, j]) + (r[i, j] - r[i, j - 1]))
                v[i, j] -= STEP * ((f[i, j] - f[i - 1, j]) + (q[i, j] - q[i, j - 1]))

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    h, u, v = start(np, size, dtype)
    down, across = np.zeros((3, *h.shape), dtype), np.zeros((3, *h.shape), dtype)
    for _ in range(size[2]):
        PROGRAM.reflect(h, u, v)
        numba_step()(h, u, v, down, across)
    return np.stack([w[1:-1, 1:-1] for w in (h, u, v)])


@cache
def jax_step() -> Any:
    import jax

    def reflected(w: Any, rows: float, columns: float) -> Any:
        w = w.at[0, :].set(rows * w[1, :]).at[-1, :].set(rows * w[-2, :])
        return w.at[:, 0].set(columns * w[:, 1]).at[:, -1].set(columns * w[:, -2])

    def step(h: Any, u: Any, v: Any) -> Any:
        h, u, v = reflected(h, 1, 1), reflected(u, -1, 1), reflected(v, 1, -1)
        hx, ux, vx = PROGRAM.half_down(h, u, v)
        hy, uy, vy = PROGRAM.half_across(h, u, v)
        along = (ux, PROGRAM.pressure(hx, ux), ux * vx / hx)
        aside = (vy, uy * vy / hy, PROGRAM.pressure(hy, vy))
        return [
            w.at[1:-1, 1:-1].add(-STEP * ((a[1:] - a[:-1]) + (b[:, 1:] - b[:, :-1])))
            for w, a, b in zip((h, u, v), along, aside, strict=True)
        ]

    return jax.jit(step, donate_argnums=(0, 1, 2))


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    state = [library.numpy.array(w) for w in start(np, size, dtype)]
    for _ in range(size[2]):
        state = jax_step()(*state)
    return np.stack([np.asarray(w)[1:-1, 1:-1] for w in state])
