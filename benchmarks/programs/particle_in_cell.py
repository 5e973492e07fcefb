"""Plasma in one dimension by particles: charges to a grid, the field back to the particles.

Each step shares every charge between its two cells in proportion to distance, sums the charge to
the field of Gauss's law, gathers the field at the particles with the same weights, and moves them
by the leapfrog rule around a ring (Birdsall and Langdon, Plasma Physics via Computer Simulation,
2). Length, charge and mass are such that the plasma oscillates with angular frequency one. The size
is cells * particles of a cell * steps; the result is the displacement of every particle from its
place in the uniform plasma, and its velocity.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (128, 32, 20), "medium": (4096, 256, 10), "large": (65536, 256, 20)}
EXACT = False  # the mean of the field is a sum that may be taken in another order

STEP = 0.05
DISPLACED = 0.02  # of the ring's length divided by 2 pi


def rest(np: Any, count: int, dtype: str) -> Any:
    """Returns positions of a uniform plasma on a ring of length one."""
    return ((np.arange(count) + 0.5) / count).astype(dtype)


def deposit(np: Any, cell: Any, right: Any, cells: int) -> Any:
    """Returns the charge of each cell if a particle gives the share `right` to the next cell."""
    charge = np.bincount(cell, weights=1.0 - right, minlength=cells)
    return charge + np.bincount((cell + 1) % cells, weights=right, minlength=cells)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Displacements and velocities, as two rows."""
    cells, share, steps = size
    count = cells * share
    place = rest(np, count, dtype)
    wave = DISPLACED / (2 * math.pi) * np.sin(2 * math.pi * place)
    moved = wave.astype(dtype)
    velocity = np.zeros(count, dtype=dtype)
    for _ in range(steps):
        position = (place + moved) % 1.0 * cells
        cell = position.astype(np.intp) % cells
        right = position - np.floor(position)
        charge = deposit(np, cell, right, cells) / share - 1.0
        field = np.cumsum(charge) / cells
        field = (field - field.mean()).astype(dtype)
        # The field is defined between cells: a cell's field is the mean of both sides.
        middle = 0.5 * (field + np.roll(field, 1))
        force = (1.0 - right) * middle[cell] + right * middle[(cell + 1) % cells]
        velocity = velocity + STEP * force
        moved = moved + STEP * velocity
    return np.stack([moved, velocity])


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks for a standing wave of frequency one, as in cold plasma, and zero momentum."""
    cells, share, steps = size
    count = cells * share
    shape = DISPLACED / (2 * math.pi) * np.sin(2 * math.pi * rest(np, count, "float64"))
    angle = 2.0 * math.asin(STEP / 2)  # of a step, by the leapfrog rule
    start = math.cos(angle / 2)
    moved = math.cos((steps + 0.5) * angle) / start
    velocity = (moved - math.cos((steps - 0.5) * angle) / start) / STEP
    eps = float(np.finfo(result.dtype).eps)
    slack = 3 * DISPLACED / (2 * math.pi) * ((1 + steps * STEP) / cells) ** 2
    slack += 4 * steps * cells * eps / share**0.5
    assert np.abs(result[0] - moved * shape).max() <= slack, "this is not the plasma's frequency"
    assert np.abs(result[1] - velocity * shape).max() <= slack, "this is not the plasma's velocity"
    assert abs(result[1].mean(dtype=np.float64)) <= 4 * steps * eps, "momentum from nowhere"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
