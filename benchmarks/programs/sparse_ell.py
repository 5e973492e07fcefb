"""Jacobi iteration with a sparse matrix in the ELLPACK format: rows padded to one length.

Values and columns are arrays of entries * rows, so that a product is a gather and a sum over the
first axis (Saad, Iterative Methods for Sparse Linear Systems, 3.4). The off-diagonal magnitudes of
a row sum to less than half of its diagonal, which is kept apart. The right side belongs to a known
solution. The size is rows * entries of a row * steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (250, 4, 12), "medium": (200000, 16, 40), "large": (4000000, 16, 10)}
EXACT = True  # only + - * / and moves; entries of a row are added one after the other

DIAGONAL = 4.0


def matrix(np: Any, rows: int, entries: int, dtype: str) -> tuple[Any, Any]:
    """Values and columns, both of entries * rows."""
    number = np.arange(entries)[:, None] * rows + np.arange(rows)
    values = (number * 31 % 17 - 8) / (8.0 * entries)
    return values.astype(dtype), number * 7919 % rows


def solution(np: Any, rows: int, dtype: str) -> Any:
    return 1 + (np.arange(rows) % 11 / 11).astype(dtype)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The approximation after the given number of steps, from zero."""
    rows, entries, steps = size
    values, columns = matrix(np, rows, entries, dtype)
    known = solution(np, rows, dtype)
    right = DIAGONAL * known + (values * known[columns]).sum(axis=0)
    x = np.zeros(rows, dtype=dtype)
    for _ in range(steps):
        x = (right - (values * x[columns]).sum(axis=0)) / DIAGONAL
    return x


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that every step leaves a quarter of the distance to the solution, up to rounding."""
    rows, _, steps = size
    known = solution(np, rows, "float64")
    slack = 8 * float(np.finfo(result.dtype).eps) + 0.25**steps
    assert np.abs(result - known).max() <= 2 * slack, "the iteration does not converge"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
