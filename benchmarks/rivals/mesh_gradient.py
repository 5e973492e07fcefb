"""Gradients on triangles for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("mesh_gradient")


def mesh(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, ...]:
    """Corners, derivatives of the shape functions, area around vertices, the field, a step."""
    nx, ny, _ = size
    corners = PROGRAM.triangles(np, nx, ny)
    x, y = PROGRAM.vertices(np, nx, ny, dtype)
    dx, dy, area = PROGRAM.shapes(np, x[corners], y[corners])
    around = np.zeros_like(x)
    for corner in corners:
        np.add.at(around, corner, area)
    time = np.dtype(dtype).type(PROGRAM.STEP / max(nx, ny))
    return corners, dx, dy, around, PROGRAM.linear(np, x, y), time


@cache
def numba_step() -> Any:
    import numba
    import numpy as np

    wind_x, wind_y = PROGRAM.WIND

    @numba.njit
    def step(corners: Any, dx: Any, dy: Any, around: Any, field: Any, time: float) -> Any:
        gradient_x, gradient_y = np.zeros_like(field), np.zeros_like(field)
        for t in range(corners.shape[1]):
            a, b, c = corners[0, t], corners[1, t], corners[2, t]
            slope_x = field[a] * dx[0, t] + field[b] * dx[1, t] + field[c] * dx[2, t]
            slope_y = field[a] * dy[0, t] + field[b] * dy[1, t] + field[c] * dy[2, t]
            for vertex in (a, b, c):
                gradient_x[vertex] += slope_x
                gradient_y[vertex] += slope_y
        return field - time * (wind_x * gradient_x + wind_y * gradient_y) / around

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    *rest, field, time = mesh(np, size, dtype)
    step = numba_step()
    for _ in range(size[2]):
        field = step(*rest, field, time)
    return field.astype(dtype)


@cache
def jax_step() -> Any:
    import jax

    def step(corners: Any, dx: Any, dy: Any, around: Any, field: Any, time: float) -> Any:
        value = field[corners]
        slopes = [(value * d).sum(axis=0) for d in (dx, dy)]
        zero = jax.numpy.zeros_like(field)
        x, y = (zero.at[corners].add(slope) for slope in slopes)
        return field - time * (PROGRAM.WIND[0] * x + PROGRAM.WIND[1] * y) / around

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    *rest, field, time = mesh(np, size, dtype)
    step = jax_step()
    for _ in range(size[2]):
        field = step(*rest, field, time)
    return field
