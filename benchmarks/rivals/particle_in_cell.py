"""Deposit and gather of particles for libraries that compile."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("particle_in_cell")


def initial(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, Any]:
    """Places of rest, and displacements."""
    place = PROGRAM.rest(np, size[0] * size[1], dtype)
    wave = PROGRAM.DISPLACED / (2 * math.pi) * np.sin(2 * math.pi * place)
    return place, wave.astype(dtype)


@cache
def numba_step() -> Any:
    import numba
    import numpy as np

    time = PROGRAM.STEP

    @numba.njit
    def field(place: Any, moved: Any, cells: int) -> Any:
        charge = np.zeros(cells)
        for i in range(place.size):
            position = (place[i] + moved[i]) % 1.0 * cells
            cell = int(position) % cells
            right = position - math.floor(position)
            charge[cell] += 1.0 - right
            charge[(cell + 1) % cells] += right
        total = np.cumsum(charge / (place.size // cells) - 1.0) / cells
        return total - total.mean()

    @numba.njit(parallel=True)
    def step(place: Any, moved: Any, velocity: Any, cells: int) -> None:
        flux = field(place, moved, cells)
        middle = 0.5 * (flux + np.roll(flux, 1))
        for i in numba.prange(place.size):
            position = (place[i] + moved[i]) % 1.0 * cells
            cell = int(position) % cells
            right = position - math.floor(position)
            force = (1.0 - right) * middle[cell] + right * middle[(cell + 1) % cells]
            velocity[i] += time * force
            moved[i] += time * velocity[i]

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    place, moved = initial(np, size, dtype)
    velocity, step = np.zeros_like(moved), numba_step()
    for _ in range(size[2]):
        step(place, moved, velocity, size[0])
    return np.stack([moved, velocity])


@cache
def jax_step(cells: int) -> Any:
    import jax

    def step(place: Any, moved: Any, velocity: Any) -> Any:
        np = jax.numpy
        position = (place + moved) % 1.0 * cells
        cell = position.astype("int32") % cells
        right = position - np.floor(position)
        charge = np.bincount(cell, weights=1.0 - right, length=cells)
        charge = charge + np.bincount((cell + 1) % cells, weights=right, length=cells)
        field = np.cumsum(charge / (place.size // cells) - 1.0) / cells
        field = (field - field.mean()).astype(place.dtype)
        middle = 0.5 * (field + np.roll(field, 1))
        force = (1.0 - right) * middle[cell] + right * middle[(cell + 1) % cells]
        velocity = velocity + PROGRAM.STEP * force
        return moved + PROGRAM.STEP * velocity, velocity

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    place, moved = initial(np, size, dtype)
    velocity, step = np.zeros_like(moved), jax_step(size[0])
    for _ in range(size[2]):
        moved, velocity = step(place, moved, velocity)
    return np.stack([moved, velocity])
