"""Jacobi iteration with a sparse matrix in compressed rows: products by gather and reduceat.

Row i holds 1 to 2 w - 1 entries of magnitude below 1 / w in columns spread over the matrix, and a
diagonal of 4 that is kept apart (Saad, Iterative Methods for Sparse Linear Systems, 3.4 and 4.1).
The right side belongs to a known solution, to which the iteration converges. The size is
rows * mean entries of a row * steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (300, 4, 20), "medium": (200000, 16, 40), "large": (4000000, 16, 10)}
EXACT = False  # a library may add the entries of a row in another order

DIAGONAL = 4.0


def matrix(np: Any, rows: int, mean: int, dtype: str) -> tuple[Any, Any, Any]:
    """Values, columns, and where each row begins."""
    lengths = 1 + np.arange(rows) * 7 % (2 * mean - 1)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    entries = np.arange(int(ends[-1]))
    columns = entries * 7919 % rows
    values = ((entries * 31 % 17 - 8) / (8.0 * mean)).astype(dtype)
    return values, columns, starts


def solution(np: Any, rows: int, dtype: str) -> Any:
    return 1 + (np.arange(rows) % 11 / 11).astype(dtype)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The approximation after the given number of steps, from zero."""
    rows, mean, steps = size
    values, columns, starts = matrix(np, rows, mean, dtype)
    known = solution(np, rows, dtype)
    right = DIAGONAL * known + np.add.reduceat(values * known[columns], starts)
    x = np.zeros(rows, dtype=dtype)
    for _ in range(steps):
        x = (right - np.add.reduceat(values * x[columns], starts)) / DIAGONAL
    return x


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that the distance to the solution halves in every step, up to rounding."""
    rows, _, steps = size
    known = solution(np, rows, "float64")
    slack = 8 * float(np.finfo(result.dtype).eps) + 0.5**steps
    assert np.abs(result - known).max() <= 2 * slack, "the iteration does not converge"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
