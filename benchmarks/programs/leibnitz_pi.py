"""Leibnitz' series for pi, two terms at a time.

    pi / 4 = 1 - 1/3 + 1/5 - 1/7 + ... = sum over k of 1 / (4 k + 1) - 1 / (4 k + 3)

Each step adds the next block of terms, computed from integers alone (their quotient is float64
whatever the dtype of the result). The size is pairs of terms a step * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (1000, 20), "medium": (8000000, 20), "paper": (100000000, 20)}
EXACT = False  # sums


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The estimates of pi, one after every step."""
    pairs, steps = size
    estimates = []
    quarter = 0.0
    for step in range(steps):
        k = np.arange(step * pairs, (step + 1) * pairs)
        quarter = quarter + np.sum(1 / (4 * k + 1) - 1 / (4 * k + 3))
        estimates.append(4.0 * quarter)
    return np.array([float(estimate) for estimate in estimates], dtype=dtype)


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that the error of 2 n terms is 1 / (2 n) up to a term of third order."""
    pairs, steps = size
    count = pairs * np.arange(1, steps + 1, dtype=np.float64)
    slack = 1 / (16 * count**3) + 16 * float(np.finfo(result.dtype).eps)
    assert (np.abs(result + 1 / (2 * count) - math.pi) <= slack).all(), "this is not pi"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
