"""Flow in a channel for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("lattice_boltzmann_d3q19")
OMEGA, FORCE = PROGRAM.OMEGA, PROGRAM.FORCE
VELOCITIES, WEIGHTS, OPPOSITE = PROGRAM.VELOCITIES, PROGRAM.WEIGHTS, PROGRAM.OPPOSITE


def start(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, Any]:
    wall = PROGRAM.solid(np, size[:-1])
    f = np.zeros((len(VELOCITIES), *size[:-1]), dtype=dtype)
    for k, weight in enumerate(WEIGHTS):
        f[k] = weight
    return wall, f


def observed(np: Any, wall: Any, f: Any) -> Any:
    density, ux, uy, uz = PROGRAM.moments(np, f)
    return np.stack((~wall * ux, ~wall * uy, ~wall * uz, density))


@cache
def numba_step() -> Any:
    import numba
    import numpy

    c, w, back = (numpy.array(table) for table in (VELOCITIES, WEIGHTS, OPPOSITE))

    @numba.njit(parallel=True)
    def step(wall: Any, f: Any, new: Any) -> None:
        count, nx, ny, nz = f.shape
        for x in numba.prange(nx):
            for y in range(ny):
                for z in range(nz):
                    density = ux = uy = uz = 0.0
                    for k in range(count):
                        density += f[k, x, y, z]
                        ux += c[k, 0] * f[k, x, y, z]
                        uy += c[k, 1] * f[k, x, y, z]
                        uz += c[k, 2] * f[k, x, y, z]
                    ux, uy, uz = ux / density, uy / density, uz / density
                    drag = 1.5 * (ux * ux + uy * uy + uz * uz)
                    for k in range(count):
                        if wall[x, y, z]:
                            after = f[back[k], x, y, z]
                        else:
                            along = c[k, 0] * ux + c[k, 1] * uy + c[k, 2] * uz
                            rest = w[k] * density * (1.0 + 3.0 * along + 4.5 * along**2 - drag)
                            push = 3.0 * w[k] * FORCE * c[k, 0]
                            after = f[k, x, y, z] + OMEGA * (rest - f[k, x, y, z]) + push
                        to = ((x + c[k, 0]) % nx, (y + c[k, 1]) % ny, (z + c[k, 2]) % nz)
                        new[k, to[0], to[1], to[2]] = after

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    wall, f = start(np, size, dtype)
    new = np.zeros_like(f)
    for _ in range(size[-1]):
        numba_step()(wall, f, new)
        f, new = new, f
    return observed(np, wall, f)


@cache
def jax_step() -> Any:
    import jax

    def step(wall: Any, f: Any) -> Any:
        c, w = jax.numpy.array(VELOCITIES, f.dtype), jax.numpy.array(WEIGHTS, f.dtype)
        density = f.sum(axis=0)
        flow = jax.numpy.einsum("ka,kxyz->axyz", c, f) / density
        along = jax.numpy.einsum("ka,axyz->kxyz", c, flow)
        drag = 1.5 * (flow * flow).sum(axis=0)
        rest = w[:, None, None, None] * density * (1.0 + 3.0 * along + 4.5 * along**2 - drag)
        push = (3.0 * FORCE * w * c[:, 0])[:, None, None, None]
        after = jax.numpy.where(wall, f[jax.numpy.array(OPPOSITE)], f + OMEGA * (rest - f) + push)
        moved = [jax.numpy.roll(after[k], v, (0, 1, 2)) for k, v in enumerate(VELOCITIES)]
        return jax.numpy.stack(moved)

    return jax.jit(step, donate_argnums=1)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    wall, f = start(np, size, dtype)
    f = library.numpy.array(f)
    for _ in range(size[-1]):
        f = jax_step()(wall, f)
    return observed(np, wall, np.asarray(f))
