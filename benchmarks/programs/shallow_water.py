"""Shallow water in a square basin: the waves of a drop, by the two-step Lax-Wendroff scheme.

Height h and momenta u, v of a thin layer of water obey three conservation laws,

    h_t + u_x + v_y = 0
    u_t + (u^2 / h + g h^2 / 2)_x + (u v / h)_y = 0
    v_t + (u v / h)_x + (v^2 / h + g h^2 / 2)_y = 0

Half a step gives the state on the midpoints between cells, whose fluxes then move the cells a full
step (Richtmyer and Morton, Difference Methods for Initial-Value Problems; Moler, Experiments with
MATLAB, the chapter on water waves). Walls reflect: a rim of cells mirrors height
and tangential momentum and negates the normal one. The size is rows * columns * steps, without rim.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 20), "medium": (1200, 1200, 20), "paper": (3200, 3200, 20)}
EXACT = True  # only + - * / and moves

GRAVITY = 9.8
STEP = 0.05  # of time, in units of the distance of two cells over their speed


def initial(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """Still water of depth one with a smooth drop in the middle, rim included."""
    y = (2 * np.arange(-1, rows + 1, dtype=dtype)[:, None] - (rows - 1)) / (rows - 1)
    x = (2 * np.arange(-1, columns + 1, dtype=dtype) - (columns - 1)) / (columns - 1)
    drop = np.maximum(1.0 - 4.0 * (x * x + y * y), 0.0)
    return 1.0 + 0.5 * drop**2


def reflect(h: Any, u: Any, v: Any) -> None:
    """Writes the rim: the cells at a wall, with the momentum through it reversed."""
    h[0, :], h[-1, :] = h[1, :], h[-2, :]
    u[0, :], u[-1, :] = -u[1, :], -u[-2, :]
    v[0, :], v[-1, :] = v[1, :], v[-2, :]
    h[:, 0], h[:, -1] = h[:, 1], h[:, -2]
    u[:, 0], u[:, -1] = u[:, 1], u[:, -2]
    v[:, 0], v[:, -1] = -v[:, 1], -v[:, -2]


def pressure(h: Any, u: Any) -> Any:
    """Flux of a momentum along its own axis."""
    return u**2 / h + 0.5 * GRAVITY * h**2


def half_down(h: Any, u: Any, v: Any) -> tuple[Any, Any, Any]:
    """The state half a step later between each cell and the one below."""
    a, b = slice(None, -1), slice(1, None)
    inner = slice(1, -1)
    h0, h1, u0, u1, v0, v1 = (w[s, inner] for w in (h, u, v) for s in (a, b))
    hx = 0.5 * (h1 + h0) - 0.5 * STEP * (u1 - u0)
    ux = 0.5 * (u1 + u0) - 0.5 * STEP * (pressure(h1, u1) - pressure(h0, u0))
    vx = 0.5 * (v1 + v0) - 0.5 * STEP * (u1 * v1 / h1 - u0 * v0 / h0)
    return hx, ux, vx


def half_across(h: Any, u: Any, v: Any) -> tuple[Any, Any, Any]:
    """The state half a step later between each cell and its right neighbour."""
    a, b = slice(None, -1), slice(1, None)
    inner = slice(1, -1)
    h0, h1, u0, u1, v0, v1 = (w[inner, s] for w in (h, u, v) for s in (a, b))
    hy = 0.5 * (h1 + h0) - 0.5 * STEP * (v1 - v0)
    uy = 0.5 * (u1 + u0) - 0.5 * STEP * (v1 * u1 / h1 - v0 * u0 / h0)
    vy = 0.5 * (v1 + v0) - 0.5 * STEP * (pressure(h1, v1) - pressure(h0, v0))
    return hy, uy, vy


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Height and both momenta along a new first axis, without the rim."""
    rows, columns, steps = size
    h = initial(np, rows, columns, dtype)
    u, v = np.zeros_like(h), np.zeros_like(h)
    for _ in range(steps):
        reflect(h, u, v)
        hx, ux, vx = half_down(h, u, v)
        hy, uy, vy = half_across(h, u, v)
        uv_x, uv_y = ux * vx / hx, uy * vy / hy
        uu, vv = pressure(hx, ux), pressure(hy, vy)
        h[1:-1, 1:-1] -= STEP * ((ux[1:] - ux[:-1]) + (vy[:, 1:] - vy[:, :-1]))
        u[1:-1, 1:-1] -= STEP * ((uu[1:] - uu[:-1]) + (uv_y[:, 1:] - uv_y[:, :-1]))
        v[1:-1, 1:-1] -= STEP * ((uv_x[1:] - uv_x[:-1]) + (vv[:, 1:] - vv[:, :-1]))
    return np.stack([w[1:-1, 1:-1] for w in (h, u, v)])


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that no water is lost, and that both mirror symmetries of the drop are exact."""
    rows, columns, steps = size
    h, u, v = result
    start = initial(np, rows, columns, result.dtype)[1:-1, 1:-1]
    eps = float(np.finfo(result.dtype).eps)
    before, after = (float(w.sum(dtype=np.float64)) for w in (start, h))
    slack = (steps + 1) * eps
    assert abs(after - before) <= slack * before, "water has been lost or gained"
    assert np.abs(h - 1.0).max() < 0.5 + slack, "the waves are higher than the drop"
    for w, up, left in ((h, 1, 1), (u, -1, 1), (v, 1, -1)):
        assert (w == up * w[::-1]).all(), "the waves are not symmetric from top to bottom"
        assert (w == left * w[:, ::-1]).all(), "the waves are not symmetric from side to side"
    assert min(np.abs(u).max(), np.abs(v).max()) > 0, "nothing moves"


def draw(axes: Any, result: Any) -> None:
    axes.figure.colorbar(axes.imshow(result[0], cmap="Blues_r"), label="height")


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check, draw=draw)
