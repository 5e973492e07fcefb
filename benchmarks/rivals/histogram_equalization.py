"""Histogram equalization for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("histogram_equalization")


def lights(steps: int) -> list[float]:
    return [(step + 1) / steps for step in range(steps)]


@cache
def numba_equalize() -> Any:
    import numba
    import numpy as np

    levels = PROGRAM.LEVELS

    @numba.njit(parallel=True)
    def equalize(height: Any, light: float) -> Any:
        parts = np.zeros((height.shape[0], levels), np.int64)
        level = np.empty(height.shape, np.uint8)
        for i in numba.prange(height.shape[0]):
            for j in range(height.shape[1]):
                image = height[i, j] * (light + (1 - light) * height[i, j])
                level[i, j] = int(image * levels)
                parts[i, level[i, j]] += 1
        shares = np.cumsum(parts.sum(axis=0)) / height.size
        equalized = np.empty(height.shape)
        for i in numba.prange(height.shape[0]):
            for j in range(height.shape[1]):
                equalized[i, j] = shares[level[i, j]]
        return equalized

    return equalize


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, columns, steps = size
    height, equalize = PROGRAM.landscape(np, rows, columns, dtype), numba_equalize()
    for light in lights(steps):
        equalized = equalize(height, np.dtype(dtype).type(light))
    return equalized.astype(dtype)


@cache
def jax_equalize() -> Any:
    import jax

    def equalize(height: Any, light: float) -> Any:
        image = height * (light + (1 - light) * height)
        level = (image * PROGRAM.LEVELS).astype("int32")
        counts = jax.numpy.bincount(level.reshape(-1), length=PROGRAM.LEVELS)
        return (jax.numpy.cumsum(counts) / height.size)[level]

    return jax.jit(equalize)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    rows, columns, steps = size
    height, equalize = PROGRAM.landscape(np, rows, columns, dtype), jax_equalize()
    for light in lights(steps):
        equalized = equalize(height, np.dtype(dtype).type(light))
    return equalized.astype(dtype)
