"""LU factorisation without pivoting: a unit lower and an upper triangle, their product the matrix.

As in Gaussian elimination every step works on a sub-matrix one row and column smaller, and stores
the multipliers as a column of L (Golub and Van Loan, Matrix Computations, 3.2). The matrix is
Lehmer's, min(i, j) / max(i, j), whose factors are known: L[i, k] = k / i and U[k, j] =
(2 k - 1) / (k j). The size is rows * 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 1), "medium": (1500, 1), "paper": (2800, 1)}
EXACT = True  # only - * / and moves


def lehmer(np: Any, n: int, dtype: str) -> Any:
    """The matrix min(i, j) / max(i, j), counted from one."""
    i = np.arange(1, n + 1, dtype=dtype)
    return np.minimum(i[:, None], i) / np.maximum(i[:, None], i)


def factorise(np: Any, matrix: Any) -> tuple[Any, Any]:
    """L and U of a matrix that needs no pivoting."""
    n = matrix.shape[0]
    lower = np.identity(n, dtype=matrix.dtype)
    upper = matrix.copy()
    for k in range(n - 1):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k : k + 1]
        upper[k + 1 :, k:] -= lower[k + 1 :, k][:, None] * upper[k, k:]
        upper[k + 1 :, k] = 0.0
    return lower, upper


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """L and U, one after the other along a new first axis."""
    n, repeats = size
    matrix = lehmer(np, n, dtype)
    for _ in range(repeats):
        lower, upper = factorise(np, matrix)
    return np.stack((lower, upper))


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks both factors against the closed form, and their product against the matrix."""
    n = size[0]
    lower, upper = result
    i = np.arange(1, n + 1, dtype=np.float64)
    slack = n * n * float(np.finfo(result.dtype).eps)
    assert (lower == np.tril(lower)).all(), "L is not lower triangular"
    assert (upper == np.triu(upper)).all(), "U is not upper triangular"
    assert np.abs(lower - np.tril(i / i[:, None])).max() <= slack, "L differs from its closed form"
    known = np.triu(((2 * i - 1) / i)[:, None] / i)
    assert np.abs(upper - known).max() <= slack, "U differs from its closed form"
    product = lower @ upper
    assert np.abs(product - lehmer(np, n, "float64")).max() <= slack, "L U is not the matrix"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
