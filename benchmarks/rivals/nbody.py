"""All pairs of bodies for libraries that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("nbody")
SOFT, STEP = PROGRAM.SOFT, PROGRAM.STEP
Size = tuple[int, ...]


def simulated(np: Any, size: Size, dtype: str, pull: Callable[..., Any]) -> Any:
    """The time loop; `pull` gives the accelerations by axis."""
    mass, position, velocity = PROGRAM.initial(np, size[0], dtype)
    for _ in range(size[1]):
        for v, a in zip(velocity, pull(mass, *position), strict=True):
            v += STEP * np.asarray(a)
        for x, v in zip(position, velocity, strict=True):
            x += STEP * v
    return np.stack(position + velocity)


@cache
def numba_pull() -> Any:
    import numba

    @numba.njit(parallel=True)
    def pull(mass: Any, x: Any, y: Any, z: Any) -> Any:
        ax, ay, az = x.copy(), y.copy(), z.copy()
        for i in numba.prange(x.size):
            sx = sy = sz = 0.0
            for j in range(x.size):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                distance = max(math.sqrt(dx * dx + dy * dy + dz * dz), SOFT)
                strength = mass[j] / (distance * distance * distance)
                sx += strength * dx
                sy += strength * dy
                sz += strength * dz
            ax[i], ay[i], az[i] = sx, sy, sz
        return ax, ay, az

    return pull


def numba(np: Any, size: Size, dtype: str) -> Any:
    return simulated(np, size, dtype, numba_pull())


@cache
def jax_pull() -> Any:
    import jax

    def pull(mass: Any, x: Any, y: Any, z: Any) -> Any:
        apart = [w[:, None] - w for w in (x, y, z)]
        distance = jax.numpy.sqrt(sum(d * d for d in apart))
        strength = mass[:, None] / jax.numpy.maximum(distance, SOFT) ** 3
        return [jax.numpy.sum(strength * d, axis=0) for d in apart]

    return jax.jit(pull)


def jax(np: Any, size: Size, dtype: str) -> Any:
    return simulated(np, size, dtype, jax_pull())


def numexpr(np: Any, size: Size, dtype: str) -> Any:
    import numexpr as library

    def pull(mass: Any, *position: Any) -> Any:
        names = {"m": mass[:, None], "soft": SOFT}
        names |= {a: x[:, None] for a, x in zip("abc", position, strict=True)}
        names |= dict(zip("xyz", position, strict=True))
        code = "(a - x)**2 + (b - y)**2 + (c - z)**2"
        names["q"] = library.evaluate(f"sqrt({code})", names)
        names["s"] = library.evaluate("m / where(q < soft, soft, q)**3", names)
        return [library.evaluate(f"sum(s * ({p}), axis=0)", names) for p in ("a-x", "b-y", "c-z")]

    return simulated(np, size, dtype, pull)
