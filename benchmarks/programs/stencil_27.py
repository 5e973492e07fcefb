"""27-point stencil: every interior point of a cube becomes the mean of the 3 x 3 x 3 points around.

The mean of 27 points leaves a linear field alone and multiplies a product of sines that vanishes on
the faces by a constant, ((1 + 2 cos h) / 3)^3 where h is the phase between two points. The cube
starts as the sum of both, so its state after any number of steps is known. The size is the three
edges * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (10, 10, 10, 20), "medium": (145, 145, 145, 20), "paper": (350, 350, 350, 20)}
EXACT = True  # only + / and moves


def fields(np: Any, extents: tuple[int, ...], dtype: str) -> tuple[Any, Any]:
    """A linear field and a wave that is zero on all faces."""
    linear, wave = 0.0, 1.0
    for axis, n in enumerate(extents):
        shape = [1] * len(extents)
        shape[axis] = n
        along = np.arange(n, dtype=dtype).reshape(shape) / (n - 1)
        sines = [math.sin(math.pi * i / (n - 1)) for i in range(n - 1)] + [0.0]
        linear = linear + (axis + 1) * along
        wave = wave * np.array(sines, dtype=dtype).reshape(shape)
    return linear, wave


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The cube after the given number of steps."""
    *extents, steps = size
    linear, wave = fields(np, tuple(extents), dtype)
    cube = linear + wave
    x, y, z = extents
    views = [
        cube[i : x - 2 + i, j : y - 2 + j, k : z - 2 + k]
        for i in range(3)
        for j in range(3)
        for k in range(3)
    ]
    for _ in range(steps):
        cube[1:-1, 1:-1, 1:-1] = sum(views) / 27.0
    return cube


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the closed form: the linear field unchanged and the wave damped."""
    *extents, steps = size
    linear, wave = fields(np, tuple(extents), "float64")
    damping = math.prod((1 + 2 * math.cos(math.pi / (n - 1))) / 3 for n in extents)
    slack = 16 * (steps + 1) * float(np.finfo(result.dtype).eps)
    gap = np.abs(result - (linear + damping**steps * wave)).max()
    assert gap <= slack, "the cube differs from the closed form"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
