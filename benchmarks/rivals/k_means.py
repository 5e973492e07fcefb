"""Lloyd's iteration for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("k_means")


@cache
def numba_step() -> Any:
    import numba
    import numpy as np

    @numba.njit(parallel=True)
    def nearest(points: Any, means: Any) -> Any:
        found = np.empty(points.shape[0], np.int64)
        for i in numba.prange(points.shape[0]):
            least, best = np.inf, 0
            for k in range(means.shape[0]):
                dx, dy = points[i, 0] - means[k, 0], points[i, 1] - means[k, 1]
                if dx * dx + dy * dy < least:
                    least, best = dx * dx + dy * dy, k
            found[i] = best
        return found

    @numba.njit
    def step(points: Any, means: Any) -> Any:
        sums, members = np.zeros(means.shape), np.zeros(means.shape[0])
        found = nearest(points, means)
        for i in range(points.shape[0]):
            sums[found[i], 0] += points[i, 0]
            sums[found[i], 1] += points[i, 1]
            members[found[i]] += 1
        fresh = means.copy()
        for k in range(means.shape[0]):
            if members[k] > 0:
                fresh[k] = sums[k] / members[k]
        return fresh

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    points = PROGRAM.scattered(np, size[0], size[1], dtype)
    means, step = points[: size[1]].copy(), numba_step()
    for _ in range(size[2]):
        means = step(points, means)
    return means


@cache
def jax_step() -> Any:
    import jax

    def step(points: Any, means: Any) -> Any:
        np = jax.numpy
        distances = ((points[:, None, :] - means) ** 2).sum(axis=2)
        nearest = np.argmin(distances, axis=1)
        clusters = means.shape[0]
        members = np.bincount(nearest, length=clusters)[:, None]
        wide = points.astype("float64")
        sums = jax.ops.segment_sum(wide, nearest, num_segments=clusters)
        fresh = sums / np.maximum(members, 1)
        return np.where(members > 0, fresh, means).astype(means.dtype)

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    points = PROGRAM.scattered(np, size[0], size[1], dtype)
    means, step = points[: size[1]], jax_step()
    for _ in range(size[2]):
        means = step(points, means)
    return means
