"""Gaussian elimination without pivoting, down to a triangle with ones on its diagonal.

Every step subtracts from the trailing sub-matrix the outer product of a column and a row, so it is
one row and column smaller than the step before (Golub and Van Loan, Matrix Computations, 3.2). The
matrix of Kac, Murdock and Szego, r^|i - j|, is positive definite, so that no pivoting is needed,
and has a known triangle, r^(j - i); r is such that r^n is 1 / e or so. The size is rows * 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 1), "medium": (1500, 1), "paper": (2800, 1)}
EXACT = True  # only - * / and moves


def powers(np: Any, n: int, dtype: str) -> Any:
    """The powers 0 to n - 1 of r."""
    return np.array([(1.0 - 1.0 / n) ** k for k in range(n)], dtype=dtype)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The matrix after elimination; the rounding residues below its diagonal are kept."""
    n, repeats = size
    r = powers(np, n, dtype)
    matrix = np.minimum(r[:, None] / r, r / r[:, None])
    for _ in range(repeats):
        a = matrix.copy()
        for k in range(n - 1):
            pivot = a[k, k : k + 1]
            a[k + 1 :, k:] -= (a[k + 1 :, k] / pivot)[:, None] * a[k, k:]
        a /= np.diagonal(a)[:, None]
    return a


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the upper triangle against the closed form, and that the rest is rounding error."""
    n = size[0]
    r = powers(np, n, "float64")
    slack = n * n * float(np.finfo(result.dtype).eps)
    assert (np.diagonal(result) == 1).all(), "the diagonal is not one"
    gaps = np.abs(np.triu(result) - np.triu(r / r[:, None]))
    assert gaps.max() <= slack, "the triangle differs from the closed form"
    assert np.abs(np.tril(result, -1)).max() <= slack, "something is left below the diagonal"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
