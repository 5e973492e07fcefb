"""Lattice Boltzmann flow through a channel past a ball, with 19 velocities in three dimensions.

Every point holds nineteen populations of the fluid, one for each velocity: to itself, a neighbour,
or a diagonal neighbour in a plane. They relax towards their equilibrium, a polynomial of density
and velocity (Bhatnagar, Gross and Krook, 1954; Qian, d'Humieres and Lallemand, Lattice BGK Models
for Navier-Stokes Equation, 1992), and then move to that neighbour. What enters a solid point leaves
it the way it came. A small force drives the fluid along the first axis; all axes are periodic, with
solid walls across the second. The size is the three edges * steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (10, 10, 10, 20), "medium": (70, 70, 70, 20), "paper": (150, 150, 150, 20)}
EXACT = False  # sums

OMEGA = 1.2  # the share of its distance to equilibrium that a population loses in a step
FORCE = 1e-4


def velocities() -> list[tuple[int, int, int]]:
    """The nineteen velocities, a velocity and its opposite side by side after the resting one."""
    ahead = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    ahead += [(1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)]
    both = [c for x, y, z in ahead for c in ((x, y, z), (-x, -y, -z))]
    return [(0, 0, 0), *both]


VELOCITIES = velocities()
WEIGHTS = [(1 / 3, 1 / 18, 1 / 36)[sum(map(abs, c))] for c in VELOCITIES]
OPPOSITE = [0] + [k + 1 if k % 2 else k - 1 for k in range(1, len(VELOCITIES))]


def solid(np: Any, extents: tuple[int, ...]) -> Any:
    """Two walls and a ball in the middle of the channel."""
    x, y, z = (2 * np.arange(n) - (n - 1) for n in extents)
    away = x[:, None, None] ** 2 + y[:, None] ** 2 + z**2
    ball = 16 * away < min(extents) ** 2
    wall = np.abs(y) == extents[1] - 1
    return ball | wall[:, None]


def pieces(shift: int) -> list[tuple[slice, slice]]:
    """Returns target and source slices for moving one periodic axis by -1, 0 or 1 points."""
    if shift == 0:
        return [(slice(None), slice(None))]
    body, end = (slice(1, None), slice(None, -1)), (slice(None, 1), slice(-1, None))
    if shift > 0:
        return [body, end]
    return [body[::-1], end[::-1]]


def stream(target: Any, source: Any) -> None:
    """Copies every population to the neighbour to which its velocity points."""
    for k, (x, y, z) in enumerate(VELOCITIES):
        for to_x, from_x in pieces(x):
            for to_y, from_y in pieces(y):
                for to_z, from_z in pieces(z):
                    target[k, to_x, to_y, to_z] = source[k, from_x, from_y, from_z]


def moments(np: Any, f: Any) -> tuple[Any, Any, Any, Any]:
    """Returns density and velocity: sums of populations, signed by direction."""
    density = np.add.reduce(f, axis=0)
    flow = []
    for axis in range(3):
        total = np.zeros_like(density)
        for k, c in enumerate(VELOCITIES):
            if c[axis] > 0:
                total += f[k]
            elif c[axis] < 0:
                total -= f[k]
        flow.append(total / density)
    return (density, *flow)


def collide(np: Any, f: Any) -> Any:
    """Returns the populations after relaxation, with the contribution of the force."""
    density, *flow = moments(np, f)
    ux, uy, uz = flow
    drag = 1.5 * (ux * ux + uy * uy + uz * uz)
    after = np.zeros_like(f)
    for k, c in enumerate(VELOCITIES):
        along = np.zeros_like(density)
        for part, u in zip(c, flow, strict=True):
            if part:
                along = along + part * u
        equilibrium = WEIGHTS[k] * density * (1.0 + 3.0 * along + 4.5 * along * along - drag)
        after[k] = f[k] + OMEGA * (equilibrium - f[k]) + 3.0 * WEIGHTS[k] * FORCE * c[0]
    return after


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns velocity by axis, then density, along a new first axis."""
    *extents, steps = size
    wall = solid(np, tuple(extents))
    fluid = ~wall
    f = np.zeros((len(VELOCITIES), *extents), dtype=dtype)
    for k, weight in enumerate(WEIGHTS):
        f[k] = weight
    bounced = np.zeros_like(f)
    for _ in range(steps):
        after = collide(np, f)
        for k, back in enumerate(OPPOSITE):
            bounced[k] = f[back]
        after = fluid * after + wall * bounced
        stream(f, after)
    density, ux, uy, uz = moments(np, f)
    return np.stack((fluid * ux, fluid * uy, fluid * uz, density))


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks mass conservation, both symmetries of the flow, and its direction."""
    *extents, steps = size
    points = result[0].size
    eps = float(np.finfo(result.dtype).eps)
    ux, uy, uz, density = result.astype(np.float64)
    slack = 64 * (steps + 1) * eps
    assert abs(float(density.sum()) / points - 1) <= slack, "mass has been lost or gained"
    for flow, up, side in ((ux, 1, 1), (uy, -1, 1), (uz, 1, -1)):
        assert np.abs(flow - up * flow[:, ::-1]).max() <= slack, "not symmetric between the walls"
        assert np.abs(flow - side * flow[:, :, ::-1]).max() <= slack, "not symmetric sideways"
    wall = solid(np, tuple(extents))
    given = steps * FORCE * float((~wall).sum())
    momentum = float((density * ux)[~wall].sum())
    assert 0 < momentum <= given * 1.001, "the momentum is not what the force has given"
    assert np.abs(ux).max() < 0.1, "too fast for the method"


def draw(axes: Any, result: Any) -> None:
    speed = result[0, :, :, result.shape[3] // 2]
    axes.figure.colorbar(axes.imshow(speed.T, cmap="viridis"), label="velocity along the channel")


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check, draw=draw)
