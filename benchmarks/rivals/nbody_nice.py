"""Planets and asteroids for libraries that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("nbody_nice")
FACTOR = PROGRAM.STEP * PROGRAM.GRAVITY
Size = tuple[int, ...]


def simulated(np: Any, size: Size, dtype: str, pull: Callable[..., Any]) -> Any:
    """The time loop; `pull` gives the changes of the targets' velocities by axis."""
    planets, asteroids, steps = size
    groups = PROGRAM.initial(np, planets, asteroids, dtype)
    system = groups[0]
    for _ in range(steps):
        for group in groups:
            sources = [system[name] for name in "mxyz"]
            changes = pull(*sources, *(group[axis] for axis in "xyz"))
            for axis, change in zip("xyz", changes, strict=True):
                group["v" + axis] += np.asarray(change)
        for group in groups:
            PROGRAM.move(group)
    names = ("x", "y", "z", "vx", "vy", "vz")
    return np.stack([np.concatenate([group[name] for group in groups]) for name in names])


@cache
def numba_pull() -> Any:
    import numba

    @numba.njit(parallel=True)
    def pull(m: Any, sx: Any, sy: Any, sz: Any, x: Any, y: Any, z: Any) -> Any:
        ax, ay, az = x.copy(), y.copy(), z.copy()
        for i in numba.prange(x.size):
            tx = ty = tz = 0.0
            for j in range(m.size):
                dx, dy, dz = sx[j] - x[i], sy[j] - y[i], sz[j] - z[i]
                distance = math.sqrt(dx * dx + dy * dy + dz * dz)
                if distance > 0.0:
                    strength = FACTOR * m[j] / (distance * distance)
                    tx += strength * (dx / distance)
                    ty += strength * (dy / distance)
                    tz += strength * (dz / distance)
            ax[i], ay[i], az[i] = tx, ty, tz
        return ax, ay, az

    return pull


def numba(np: Any, size: Size, dtype: str) -> Any:
    return simulated(np, size, dtype, numba_pull())


@cache
def jax_pull() -> Any:
    import jax

    def pull(m: Any, *places: Any) -> Any:
        apart = [s - t[:, None] for s, t in zip(places[:3], places[3:], strict=True)]
        distance = jax.numpy.sqrt(sum(d * d for d in apart))
        apart_safe = jax.numpy.where(distance > 0.0, distance, 1.0)  # else the body itself
        strength = FACTOR * m / apart_safe**2
        return [jax.numpy.sum(strength * (d / apart_safe), axis=1) for d in apart]

    return jax.jit(pull)


def jax(np: Any, size: Size, dtype: str) -> Any:
    return simulated(np, size, dtype, jax_pull())
