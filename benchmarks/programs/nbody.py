"""Bodies that attract each other, all pairs, by Newton's law of gravitation.

Positions relative to all others are matrices, made by subtracting a row from its transpose; their
columns add up to the acceleration of one body. Closer than a softening length the force grows no
more than linearly, as inside a solid sphere. The bodies move by the symplectic Euler method: first
the velocities, then the positions (Hairer, Lubich and Wanner, Geometric Numerical Integration,
I.1). The size is bodies * steps.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

SIZES = {"small": (32, 20), "medium": (2000, 20), "paper": (6000, 20)}
EXACT = False  # cubes and sums

SOFT = 0.05
STEP = 1e-3


def initial(np: Any, bodies: int, dtype: str) -> tuple[Any, Any, Any]:
    """Masses, positions in a unit cube and velocities of a slow rotation.

    The multiples of irrational numbers, without their whole parts, fill a cube evenly.
    """
    position = [
        np.array([math.fmod(i * root, 1.0) - 0.5 for i in range(1, bodies + 1)], dtype=dtype)
        for root in (math.sqrt(2.0), math.sqrt(3.0), math.sqrt(5.0))
    ]
    mass = np.array([(1 + i % 7) / (4.0 * bodies) for i in range(bodies)], dtype=dtype)
    velocity = [-0.5 * position[1], 0.5 * position[0], np.zeros(bodies, dtype=dtype)]
    return mass, position, velocity


def diagonal(matrix: Any) -> Any:
    """Returns the diagonal of a square matrix as a writable view: a column with other strides."""
    view = matrix[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2.4 discourages the idiom
        view.strides = (matrix.strides[0] + matrix.strides[1],)
    return view


def acceleration(np: Any, mass: Any, position: list[Any]) -> list[Any]:
    """Returns the acceleration of each body by all bodies, by axis."""
    apart = [x[np.newaxis, :].T - x for x in position]
    dx, dy, dz = apart
    distance = np.sqrt(dx**2 + dy**2 + dz**2)
    diagonal(distance)[:] = 1.0
    near = distance < SOFT
    distance = near * mass.dtype.type(SOFT) + ~near * distance
    pull = mass[np.newaxis, :].T / distance**3
    return [np.sum(pull * d, axis=0) for d in apart]


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns positions, then velocities, with one row per axis."""
    bodies, steps = size
    mass, position, velocity = initial(np, bodies, dtype)
    for _ in range(steps):
        for v, a in zip(velocity, acceleration(np, mass, position), strict=True):
            v += STEP * a
        for x, v in zip(position, velocity, strict=True):
            x += STEP * v
    return np.stack(position + velocity)


def energy(np: Any, mass: Any, position: Any, velocity: Any) -> float:
    """Kinetic energy and the potential of all pairs, in float64."""
    total = 0.5 * float((mass * (velocity * velocity).sum(axis=0)).sum())
    for i in range(1, mass.size):
        apart = np.sqrt(((position[:, :i] - position[:, i : i + 1]) ** 2).sum(axis=0))
        inside = (1.5 - 0.5 * (apart / SOFT) ** 2) / SOFT
        outside = 1.0 / np.maximum(apart, SOFT)
        total -= float(mass[i] * (mass[:i] * np.where(apart < SOFT, inside, outside)).sum())
    return total


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks momentum, the motion of the common centre, and approximate energy conservation."""
    bodies, steps = size
    eps = float(np.finfo(result.dtype).eps)
    mass, x, v = (np.array(part, np.float64) for part in initial(np, bodies, "float64"))
    end_x, end_v = result.astype(np.float64).reshape(2, 3, bodies)
    slack = 16 * (steps + 1) * eps
    drift = v @ mass
    assert np.abs(end_v @ mass - drift).max() <= slack, "the momentum has changed"
    centre = x @ mass + steps * STEP * drift
    assert np.abs(end_x @ mass - centre).max() <= slack, "the centre of mass has left its line"
    before, after = energy(np, mass, x, v), energy(np, mass, end_x, end_v)
    allowed = 0.01 + 16 * (steps + 1) * eps
    assert abs(after - before) <= allowed * abs(before), "the energy has changed by a hundredth"
    assert not (end_x == x).all(), "nothing moves"


def draw(axes: Any, result: Any) -> None:
    axes.plot(result[0], result[1], ".", markersize=3)
    axes.set_aspect("equal")


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check, draw=draw)
