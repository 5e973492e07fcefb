"""Multigrid V-cycles for Poisson's equation in a cube whose faces are held at zero.

Each cycle smooths by damped Jacobi steps, restricts the residual to every second point, solves the
coarser equation by the same means, interpolates the correction linearly along each axis and
smooths again (Briggs, Henson and McCormick, A Multigrid Tutorial, 3). The size is
intervals * steps, intervals a power of two; the result is the solution, faces included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (8, 10), "medium": (128, 8), "large": (256, 10)}
EXACT = True  # only + - * / and moves

DAMPING = 6.0 / 7.0
SMOOTHINGS = 2


def laplacian(u: Any) -> Any:
    """Returns minus h squared times the Laplacian: 6 times each inner point less neighbours."""
    inner = u[1:-1, 1:-1, 1:-1]
    neighbours = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]
    neighbours = neighbours + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
    neighbours = neighbours + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
    return 6.0 * inner - neighbours


def smooth(u: Any, right: Any) -> None:
    """Runs damped Jacobi steps in place."""
    for _ in range(SMOOTHINGS):
        u[1:-1, 1:-1, 1:-1] += DAMPING / 6.0 * (right[1:-1, 1:-1, 1:-1] - laplacian(u))


def restrict(np: Any, fine: Any) -> Any:
    """Restricts by full weighting: 1/4, 1/2, 1/4 along each axis."""
    for axis in range(3):
        fine = np.moveaxis(fine, axis, 0)
        line = np.zeros((fine.shape[0] // 2 + 1, *fine.shape[1:]), dtype=fine.dtype)
        line[1:-1] = 0.25 * (fine[1:-2:2] + 2.0 * fine[2:-1:2] + fine[3::2])
        fine = np.moveaxis(line, 0, axis)
    return fine


def prolong(np: Any, coarse: Any) -> Any:
    """Interpolates linearly along one axis after another."""
    for axis in range(3):
        coarse = np.moveaxis(coarse, axis, 0)
        line = np.empty((2 * coarse.shape[0] - 1, *coarse.shape[1:]), dtype=coarse.dtype)
        line[::2] = coarse
        line[1::2] = 0.5 * (coarse[:-1] + coarse[1:])
        coarse = np.moveaxis(line, 0, axis)
    return coarse


def cycle(np: Any, u: Any, right: Any) -> None:
    """Runs one V-cycle in place; the coarsest grid has one inner point."""
    if u.shape[0] == 3:
        u[1, 1, 1] = right[1, 1, 1] / 6.0
        return
    smooth(u, right)
    residual = np.zeros_like(u)
    residual[1:-1, 1:-1, 1:-1] = right[1:-1, 1:-1, 1:-1] - laplacian(u)
    coarse_right = 4.0 * restrict(np, residual)  # h squared is four times as large
    correction = np.zeros_like(coarse_right)
    cycle(np, correction, coarse_right)
    u += prolong(np, correction)
    smooth(u, right)


def solution(np: Any, intervals: int, dtype: str) -> Any:
    """A product of parabolas with a bump that no parabola has."""
    x = np.arange(intervals + 1, dtype=dtype) / intervals
    line = 4.0 * x * (1.0 - x)
    return line[:, None, None] * line[:, None] * line / (0.5 + x)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The approximation after the given number of cycles, from zero."""
    intervals, steps = size
    if intervals < 2 or intervals & (intervals - 1):
        raise ValueError("intervals must be a power of two")
    right = np.zeros((intervals + 1,) * 3, dtype=dtype)
    right[1:-1, 1:-1, 1:-1] = laplacian(solution(np, intervals, dtype))
    u = np.zeros_like(right)
    for _ in range(steps):
        cycle(np, u, right)
    return u


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that faces are zero, and that the error shrinks in every cycle at any grid size."""
    intervals, steps = size
    known = solution(np, intervals, "float64")
    for axis in range(3):
        face = np.moveaxis(result, axis, 0)
        assert (face[0] == 0).all(), "a cycle has written a face"
        assert (face[-1] == 0).all(), "a cycle has written a face"
    slack = intervals**2 * float(np.finfo(result.dtype).eps)
    assert np.abs(result - known).max() <= slack + 2 * 0.3**steps, "the cycles do not converge"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
