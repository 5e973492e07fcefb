"""Gradients on an unstructured mesh of triangles, and a field that wind carries by them.

Linear elements have one gradient in each triangle; that of a vertex is the mean of the triangles
around it, weighted by their area (Löhner, Applied Computational Fluid Dynamics Techniques, 8). Each
step gathers the values of the corners, scatters the gradients to the vertices and moves the field
with the wind. Vertices are numbered in an order without pattern. The size is vertices along x *
vertices along y * steps; the result is the field.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 10), "medium": (500, 500, 20), "large": (2000, 2000, 10)}
EXACT = True  # only + - * / and moves; shares of a vertex are added in order

WIND = (0.75, -0.5)
SLOPE = (2.0, 3.0)
STEP = 0.05  # of the distance between vertices


def numbering(np: Any, nx: int, ny: int) -> Any:
    """Returns a permutation of the numbers of grid positions."""
    count = nx * ny
    stride = next(k for k in range(7919, 2 * 7919) if np.gcd(k, count) == 1)
    return (np.arange(count) * stride % count).reshape(nx, ny)


def triangles(np: Any, nx: int, ny: int) -> Any:
    """The corners of the triangles, two in each square, as 3 * triangles."""
    vertex = numbering(np, nx, ny)
    a, b = vertex[:-1, :-1].reshape(-1), vertex[1:, :-1].reshape(-1)
    c, d = vertex[1:, 1:].reshape(-1), vertex[:-1, 1:].reshape(-1)
    return np.concatenate([np.stack([a, b, c]), np.stack([a, c, d])], axis=1)


def vertices(np: Any, nx: int, ny: int, dtype: str) -> tuple[Any, Any]:
    """Returns positions on a bent grid, in the order of their numbers."""
    i, j = np.arange(nx, dtype=dtype)[:, None] / nx, np.arange(ny, dtype=dtype) / ny
    number = numbering(np, nx, ny)
    x, y = np.empty(nx * ny, dtype=dtype), np.empty(nx * ny, dtype=dtype)
    x[number] = i + 0.1 * i * j
    y[number] = j + 0.2 * i * (1 - i)
    return x, y


def linear(np: Any, x: Any, y: Any) -> Any:
    return 1.0 + SLOPE[0] * x + SLOPE[1] * y


def shapes(np: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Derivatives of the three shape functions, times twice the area, and twice the area."""
    ahead, behind = [1, 2, 0], [2, 0, 1]
    dx, dy = y[ahead] - y[behind], x[behind] - x[ahead]
    return dx, dy, (x * dx).sum(axis=0)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The field at the vertices after the given number of steps."""
    nx, ny, steps = size
    corners = triangles(np, nx, ny)
    x, y = vertices(np, nx, ny, dtype)
    dx, dy, area = shapes(np, x[corners], y[corners])
    around = np.zeros_like(x)
    for corner in corners:
        np.add.at(around, corner, area)
    time = STEP / max(nx, ny)
    field = linear(np, x, y)
    for _ in range(steps):
        value = field[corners]
        slope_x, slope_y = (value * dx).sum(axis=0), (value * dy).sum(axis=0)
        gradient_x, gradient_y = np.zeros_like(x), np.zeros_like(y)
        for corner in corners:
            np.add.at(gradient_x, corner, slope_x)
            np.add.at(gradient_y, corner, slope_y)
        field = field - time * (WIND[0] * gradient_x + WIND[1] * gradient_y) / around
    return field


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that a linear field, whose gradient is constant, moves with the wind as a whole."""
    nx, ny, steps = size
    x, y = vertices(np, nx, ny, "float64")
    time = steps * STEP / max(nx, ny)
    known = linear(np, x - time * WIND[0], y - time * WIND[1])
    slack = 64 * (1 + steps) * float(np.finfo(result.dtype).eps)
    assert np.abs(result - known).max() <= slack, "a linear field is not moved as a whole"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
