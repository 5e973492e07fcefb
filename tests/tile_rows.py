"""Rows of numbers for chains on register tiles.

Lengths lie around those of tiles (16 elements of float64 with the narrowest registers, 512 of int8
with the widest).
"""

from __future__ import annotations

from typing import Any

import numpy

LENGTHS = [1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 200, 511, 513, 700, 1500]


def floats(n: int, seed: int, dtype: str = "float64") -> Any:
    return numpy.random.default_rng(seed).uniform(-4, 4, n).astype(dtype)
