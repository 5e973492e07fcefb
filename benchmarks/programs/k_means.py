"""k-means clustering by Lloyd's iteration: points go to the nearest mean, means to their points.

(Lloyd, Least squares quantization in PCM, 1982.) The points lie around well separated centres on a
circle, with noise of a fixed generator, so that every mean must end inside the cluster it began in.
Empty clusters keep their means. The size is points * clusters * steps; the result is the means.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (1000, 5, 10), "medium": (400000, 16, 4), "large": (4000000, 32, 10)}
EXACT = True  # only + - * / and moves, sums of two squares and sums in order

SEED = 1982


def centres(np: Any, clusters: int, dtype: str) -> Any:
    """Points on the unit circle, as rows."""
    angle = [2 * math.pi * k / clusters for k in range(clusters)]
    return np.array([[math.cos(a), math.sin(a)] for a in angle], dtype=dtype)


def scattered(np: Any, points: int, clusters: int, dtype: str) -> Any:
    """Points around the centres, cluster after cluster; the noise is a fifth of the distance."""
    noise = np.random.default_rng(SEED).random((points, 2), dtype=dtype) - 0.5
    radius = 0.8 * math.sin(math.pi / max(clusters, 2))
    return centres(np, clusters, dtype)[np.arange(points) % clusters] + radius * noise


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The means after the given number of steps."""
    count, clusters, steps = size
    points = scattered(np, count, clusters, dtype)
    means = points[:clusters].copy()
    for _ in range(steps):
        distances = ((points[:, None, :] - means) ** 2).sum(axis=2)
        nearest = np.argmin(distances, axis=1)
        members = np.bincount(nearest, minlength=clusters)
        sums = [np.bincount(nearest, weights=x, minlength=clusters) for x in points.T]
        fresh = np.stack(sums, axis=1) / np.maximum(members, 1)[:, None]
        means = np.where((members > 0)[:, None], fresh, means).astype(dtype)
    return means


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that each mean is that of the points around one centre."""
    count, clusters, _ = size
    points = scattered(np, count, clusters, result.dtype)
    known = [points[k::clusters].mean(axis=0, dtype=np.float64) for k in range(clusters)]
    slack = 4 * float(np.finfo(result.dtype).eps)
    assert np.abs(result - np.array(known)).max() <= slack, "this is not the mean of a cluster"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
