"""A sun, planets and many asteroids: planets attract all bodies, asteroids attract none.

So there are two rectangles of pairs: planets with planets and planets with asteroids. A planet is
at distance zero from itself; its pull on itself, 0 / 0, is replaced by zero through a strided slice
of the flattened matrix. Units are the sun's mass, the distance of the earth and a year, in which
the constant of gravitation is 4 pi^2 (Kepler's third law). The bodies move by the symplectic Euler
method (Hairer, Lubich and Wanner, Geometric Numerical Integration, I.1). The size is planets with
the sun * asteroids * steps.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

SIZES = {"small": (8, 125, 20), "medium": (20, 160000, 20), "paper": (40, 2000000, 20)}
EXACT = False  # sums

GRAVITY = 4.0 * math.pi**2
STEP = 1e-3

Bodies = dict[str, Any]


def circle(np: Any, radii: Any, turns: Any, dtype: str) -> Bodies:
    """Bodies on circles around the sun, slightly out of the plane of the first."""
    speeds = np.sqrt(GRAVITY / radii)
    angles = 2.0 * math.pi * np.fmod(turns, 1.0)
    columns = {
        "x": radii * np.cos(angles),
        "y": radii * np.sin(angles),
        "z": np.zeros(len(radii)),
        "vx": -speeds * np.sin(angles),
        "vy": speeds * np.cos(angles),
        "vz": 0.01 * speeds * np.cos(3.0 * angles),
    }
    return {name: values.astype(dtype) for name, values in columns.items()}


def initial(np: Any, planets: int, asteroids: int, dtype: str) -> tuple[Bodies, Bodies]:
    """The sun at rest, planets at growing distances, and asteroids in a belt between."""
    k = np.arange(planets - 1)
    system = circle(np, 1.0 + 0.5 * k, k * math.sqrt(2.0), dtype)
    sun = np.zeros(1, dtype=dtype)
    system = {name: np.concatenate((sun, values)) for name, values in system.items()}
    light = 1e-6 * (1 + k % 5)
    system["m"] = np.concatenate((np.ones(1), light)).astype(dtype)
    k = np.arange(asteroids)
    belt = 2.1 + 0.3 * np.fmod(k * math.sqrt(3.0), 1.0)
    return system, circle(np, belt, k * math.sqrt(5.0), dtype)


def attract(np: Any, sources: Bodies, targets: Bodies, own: bool) -> None:
    """Changes the targets' velocities by the pull of the sources; pairs have a row per target."""
    apart = [sources[axis] - targets[axis][:, None] for axis in "xyz"]
    distance = np.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)
    strength = STEP * GRAVITY * sources["m"] / distance**2
    for axis, d in zip("xyz", apart, strict=True):
        pull = strength * (d / distance)
        if own:
            count = pull.shape[0]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pull.shape = (count * count,)
                pull[:: count + 1] = 0.0
                pull.shape = (count, count)
        targets["v" + axis] += np.add.reduce(pull, axis=1)


def move(bodies: Bodies) -> None:
    for axis in "xyz":
        bodies[axis] += STEP * bodies["v" + axis]


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Positions and velocities by axis: the sun and planets, then the asteroids."""
    planets, asteroids, steps = size
    system, belt = initial(np, planets, asteroids, dtype)
    old = np.seterr(divide="ignore", invalid="ignore")
    for _ in range(steps):
        attract(np, system, system, own=True)
        attract(np, system, belt, own=False)
        move(system)
        move(belt)
    result = np.stack(
        [np.concatenate((system[a], belt[a])) for a in ("x", "y", "z", "vx", "vy", "vz")]
    )
    np.seterr(**old)
    return result


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the planets' momentum, and that asteroids stay near their circles around the sun."""
    planets, asteroids, steps = size
    eps = float(np.finfo(result.dtype).eps)
    system, belt = initial(np, planets, asteroids, "float64")
    assert np.isfinite(result).all(), "a body is nowhere"
    mass = system["m"]
    flat = result.astype(np.float64)
    for axis, velocity in zip("xyz", flat[3:], strict=True):
        change = float((mass * (velocity[:planets] - system["v" + axis])).sum())
        assert abs(change) <= 64 * (steps + 1) * eps, "the momentum has changed"
    sun, rocks = flat[:3, :1], flat[:3, planets:]
    now = np.sqrt(((rocks - sun) ** 2).sum(axis=0))
    before = np.sqrt(belt["x"] ** 2 + belt["y"] ** 2)
    years = STEP * steps
    assert np.abs(now - before).max() <= 0.02 * (1 + years), "an asteroid has left its circle"
    moved = np.sqrt((rocks[0] - belt["x"]) ** 2 + (rocks[1] - belt["y"]) ** 2)
    arc = years * np.sqrt(GRAVITY / before)
    chord = 2.0 * before * np.sin(0.5 * arc / before)
    assert np.abs(moved - np.abs(chord)).max() <= 0.02 * (1 + years), "an asteroid has lost speed"


def draw(axes: Any, result: Any) -> None:
    axes.plot(result[0], result[1], ".", markersize=2)
    axes.set_aspect("equal")


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check, draw=draw)
