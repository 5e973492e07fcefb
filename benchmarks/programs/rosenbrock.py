"""Rosenbrock's function in many dimensions, at points along a line.

    f(x) = sum over i of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2

(Rosenbrock, An Automatic Method for Finding the Greatest or Least Value of a Function, 1960). The
point rises evenly from 0 to s over its elements, so the value is a polynomial in s with sums of
powers of integers as coefficients. Each step takes a larger s. The size is elements * steps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

SIZES = {"small": (1000, 20), "medium": (6000000, 20), "paper": (200000000, 20)}
EXACT = False  # sums


def height(step: int, steps: int) -> float:
    """Returns how far the point of a step rises, up to 1."""
    return (step + 1) / steps


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns the values of the function, one per step."""
    count, steps = size
    ramp = np.arange(count, dtype=dtype) / (count - 1)
    values = []
    for step in range(steps):
        x = ramp * height(step, steps)
        here, following = x[:-1], x[1:]
        values.append(np.sum(100.0 * (following - here**2.0) ** 2.0 + (1.0 - here) ** 2.0))
    return np.array([float(value) for value in values], dtype=dtype)


def power_sums(n: int) -> list[int]:
    """The sums of i^0 ... i^4 for i from 0 to n - 1 (Faulhaber)."""
    return [
        n,
        n * (n - 1) // 2,
        n * (n - 1) * (2 * n - 1) // 6,
        (n * (n - 1) // 2) ** 2,
        n * (n - 1) * (2 * n - 1) * (3 * n * n - 3 * n - 1) // 30,
    ]


def exact(count: int, top: float) -> float:
    """The value where x[i] = h i, by expanding the squares, without rounding."""
    h = Fraction(top) / (count - 1)
    s0, s1, s2, s3, s4 = power_sums(count - 1)
    line = h * h * (s2 + 2 * s1 + s0)
    mixed = 2 * h**3 * (s3 + s2)
    return float(100 * (line - mixed + h**4 * s4) + s0 - 2 * h * s1 + h * h * s2)


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the values against the closed form."""
    count, steps = size
    known = np.array([exact(count, height(step, steps)) for step in range(steps)])
    # Near the valley the terms of the sum are differences of nearly equal numbers.
    slack = 64 * float(np.finfo(result.dtype).eps) * known.max()
    assert np.abs(result - known).max() <= slack, "values differ from the closed form"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
