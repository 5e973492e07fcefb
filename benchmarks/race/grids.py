"""Workloads over grids: stencils, cellular automata, time loops. The size is the whole grid's."""

from __future__ import annotations

from typing import Any

import numpy as np

from race.workload import Arrays, Workload, generator


def side(n: int, dimensions: int) -> int:
    return max(round(n ** (1 / dimensions)), 4)


def square(n: int) -> Arrays:
    return [generator(1).uniform(0, 1, (side(n, 2), side(n, 2)))]


def cube(n: int) -> Arrays:
    return [generator(2).uniform(0, 1, (side(n, 3),) * 3)]


def heat(start: Any) -> Any:
    u = start.copy()
    moved = 0.0
    for _ in range(20):
        old = u[1:-1, 1:-1]
        new = 0.2 * (old + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        moved = moved + np.sum(np.abs(new - old))
        u[1:-1, 1:-1] = new
    return u, moved


def heat_jax(start: Any) -> Any:
    u = start
    moved = 0.0
    for _ in range(20):
        old = u[1:-1, 1:-1]
        new = 0.2 * (old + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        moved = moved + np.sum(np.abs(new - old))
        u = u.at[1:-1, 1:-1].set(new)  # type: ignore[attr-defined]
    return u, moved


def stencil_27(start: Any) -> Any:
    u = start.copy()
    n = u.shape[0] - 2
    for _ in range(5):
        total = u[0:n, 0:n, 0:n] + u[0:n, 0:n, 1 : n + 1]
        for k in range(2, 27):
            x, y, z = k // 9, k // 3 % 3, k % 3
            total = total + u[x : n + x, y : n + y, z : n + z]
        u[1:-1, 1:-1, 1:-1] = total * (1.0 / 27.0)
    return u


def stencil_27_jax(start: Any) -> Any:
    u = start
    n = u.shape[0] - 2
    for _ in range(5):
        total = u[0:n, 0:n, 0:n] + u[0:n, 0:n, 1 : n + 1]
        for k in range(2, 27):
            x, y, z = k // 9, k // 3 % 3, k % 3
            total = total + u[x : n + x, y : n + y, z : n + z]
        u = u.at[1:-1, 1:-1, 1:-1].set(total * (1.0 / 27.0))
    return u


def life(start: Any) -> Any:
    u = start.copy()
    for _ in range(10):
        old = u[1:-1, 1:-1]
        n = u[:-2, :-2] + u[:-2, 1:-1] + u[:-2, 2:] + u[1:-1, :-2] + u[1:-1, 2:]
        n = n + u[2:, :-2] + u[2:, 1:-1] + u[2:, 2:]
        u[1:-1, 1:-1] = (n == 3) | ((n == 2) & (old == 1))
    return u


def life_inputs(n: int) -> Arrays:
    return [(generator(3).uniform(0, 1, (side(n, 2), side(n, 2))) < 0.3).astype(np.int64)]


def strided_2d(start: Any) -> Any:
    """Updates odd and even columns alternately, each element to the mean of its four neighbours."""
    u = start.copy()
    for _ in range(5):
        u[1:-1, 1:-1:2] = 0.25 * (u[:-2, 1:-1:2] + u[2:, 1:-1:2] + u[1:-1, :-2:2] + u[1:-1, 2::2])
        u[1:-1, 2:-1:2] = 0.25 * (u[:-2, 2:-1:2] + u[2:, 2:-1:2] + u[1:-1, 1:-2:2] + u[1:-1, 3::2])
    return u


def even_square(n: int) -> Arrays:
    length = side(n, 2) // 2 * 2
    return [generator(4).uniform(0, 1, (length, length))]


def nbody(mass: Any, x: Any, y: Any, z: Any) -> Any:
    dx = x - x.reshape(-1, 1)
    dy = y - y.reshape(-1, 1)
    dz = z - z.reshape(-1, 1)
    square = dx * dx + dy * dy + dz * dz + 0.01
    pull = mass / (square * np.sqrt(square))
    return (pull * dx).sum(axis=1), (pull * dy).sum(axis=1), (pull * dz).sum(axis=1)


def bodies(n: int) -> Arrays:
    return [generator(k).uniform(0.5, 1.5, side(n, 2)) for k in range(4)]


def mandelbrot(c: Any) -> Any:
    z = np.zeros_like(c)
    count = np.zeros(c.shape)
    for _ in range(30):
        inside = z.real * z.real + z.imag * z.imag < 4.0
        count = count + inside
        z = np.where(inside, z * z + c, z)
    return count


def plane(n: int) -> Arrays:
    length = side(n, 2)
    return [np.linspace(-2, 0.6, length) + 1j * np.linspace(-1.2, 1.2, length).reshape(-1, 1)]


def shallow(start: Any) -> Any:
    """Lax-Wendroff steps of shallow water in a basin: height and two momenta."""
    h = start.copy()
    u = np.zeros_like(h)
    v = np.zeros_like(h)
    for _ in range(20):
        h[0, :], h[-1, :], h[:, 0], h[:, -1] = h[1, :], h[-2, :], h[:, 1], h[:, -2]
        u[0, :], u[-1, :], u[:, 0], u[:, -1] = -u[1, :], -u[-2, :], u[:, 1], u[:, -2]
        v[0, :], v[-1, :], v[:, 0], v[:, -1] = v[1, :], v[-2, :], -v[:, 1], -v[:, -2]
        a, b, c, d = h[:-1, 1:-1], h[1:, 1:-1], u[:-1, 1:-1], u[1:, 1:-1]
        e, f = v[:-1, 1:-1], v[1:, 1:-1]
        hx = 0.5 * (b + a) - 0.01 * (d - c)
        ux = 0.5 * (d + c) - 0.01 * ((d * d / b + 4.9 * b * b) - (c * c / a + 4.9 * a * a))
        vx = 0.5 * (f + e) - 0.01 * (d * f / b - c * e / a)
        a, b, c, d = h[1:-1, :-1], h[1:-1, 1:], u[1:-1, :-1], u[1:-1, 1:]
        e, f = v[1:-1, :-1], v[1:-1, 1:]
        hy = 0.5 * (b + a) - 0.01 * (f - e)
        uy = 0.5 * (d + c) - 0.01 * (f * d / b - e * c / a)
        vy = 0.5 * (f + e) - 0.01 * ((f * f / b + 4.9 * b * b) - (e * e / a + 4.9 * a * a))
        xy, yx = ux * vx / hx, uy * vy / hy
        uu, vv = ux * ux / hx + 4.9 * hx * hx, vy * vy / hy + 4.9 * hy * hy
        h[1:-1, 1:-1] -= 0.02 * ((ux[1:] - ux[:-1]) + (vy[:, 1:] - vy[:, :-1]))
        u[1:-1, 1:-1] -= 0.02 * ((uu[1:] - uu[:-1]) + (yx[:, 1:] - yx[:, :-1]))
        v[1:-1, 1:-1] -= 0.02 * ((xy[1:] - xy[:-1]) + (vv[:, 1:] - vv[:, :-1]))
    return h, u, v


def basin(n: int) -> Arrays:
    x = np.linspace(-1, 1, side(n, 2))
    return [1.0 + 0.2 * np.maximum(1 - 4 * (x * x + (x * x).reshape(-1, 1)), 0.0)]


SPEEDS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))
WEIGHTS = (4 / 9,) + (1 / 9,) * 4 + (1 / 36,) * 4


def lattice(start: Any) -> Any:
    """D2Q9 lattice Boltzmann: collide, then stream to the neighbours."""
    f = start.copy()
    g = start.copy()
    rows, columns = f.shape[1] - 2, f.shape[2] - 2
    for _ in range(10):
        rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8]
        ux = (f[1] - f[2] + f[5] - f[6] + f[7] - f[8]) / rho
        uy = (f[3] - f[4] + f[5] - f[6] - f[7] + f[8]) / rho
        base = 1.0 - 1.5 * (ux * ux + uy * uy)
        for k in range(9):
            x, y = SPEEDS[k]
            along = 3.0 * (x * ux + y * uy)
            rest = WEIGHTS[k] * rho * (base + along + 0.5 * along * along)
            new = f[k] + 1.2 * (rest - f[k])
            g[k, 1:-1, 1:-1] = new[1 - x : rows + 1 - x, 1 - y : columns + 1 - y]
        f, g = g, f
    return f


def flow(n: int) -> Arrays:
    length = side(n, 2)
    noise = generator(6).uniform(0.98, 1.02, (9, length, length))
    return [np.array(WEIGHTS).reshape(9, 1, 1) * noise]


def lu(matrix: Any) -> Any:
    a = matrix.copy()
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k].copy().reshape(-1, 1) * a[k, k + 1 :]
    return a


def dominant(n: int) -> Arrays:
    length = side(n, 2)
    return [generator(7).uniform(0, 1, (length, length)) + length * np.eye(length)]


def with_sum(inputs: Arrays) -> Arrays:
    return [np.empty_like(inputs[0]), np.empty(1), np.empty_like(inputs[0])]


def two(inputs: Arrays) -> Arrays:
    return [np.empty_like(inputs[0]), np.empty_like(inputs[0])]


GRIDS = [
    Workload(
        "heat", heat, square, 1_000_000, mark=(4, 7), rival=(2.9, 5.5), loops=(8.6, 16),
        buffers=with_sum, results=2, jax=heat_jax, assigns=True,
    ),
    Workload(
        "stencil_27", stencil_27, cube, 130**3, mark=(4, 7), rival=(2.1, 1.6), loops=(10, 12),
        buffers=two, jax=stencil_27_jax, assigns=True,
    ),
    Workload(
        "shallow", shallow, basin, 250_000, sizes=(1_000, 100_000, 4_000_000), mark=(4, 7),
        rival=(3.4, 4.2), loops=(6.3, 13), hand=False, assigns=True,
    ),
    Workload(
        "life", life, life_inputs, 1_000_000, mark=(3, 5), rival=(1.3, 1.9), loops=(4.7, 8.2),
        buffers=two, assigns=True,
    ),
    Workload(
        "strided_2d", strided_2d, even_square, 1_000_000, mark=(2.5, 4.5), rival=(1.9, 2.1),
        loops=(4.9, 8.7), assigns=True,
    ),
    Workload(
        "nbody", nbody, bodies, 600 * 600, sizes=(1_000, 100_000, 4_000_000), mark=(3.5, 6),
        rival=(2.6, 2.5), loops=(8, 16), results=3,
        buffers=lambda inputs: [np.empty_like(inputs[0]) for _ in range(3)],
    ),
    Workload(
        "mandelbrot", mandelbrot, plane, 400 * 400, sizes=(1_000, 100_000, 2_000_000),
        mark=(6, 11), rival=(15, 13), loops=(8.6, 16),
        buffers=lambda inputs: [np.empty(inputs[0].shape)],
    ),
    Workload(
        "lattice", lattice, flow, 300 * 300, sizes=(1_000, 90_000, 1_000_000), mark=(2, 3.5),
        rival=(1.8, 0.6), loops=(3, 5.9), buffers=two, assigns=True,
    ),
    Workload(
        "lu", lu, dominant, 200 * 200, sizes=(1_000, 40_000, 250_000), mark=(2.3, 2.5),
        rival=(2.3, 0.9), loops=(2.9, 4.1), assigns=True,
    ),
]  # fmt: skip
