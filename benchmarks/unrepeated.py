"""Times loops that never repeat a flush, recorded or not: `python -m benchmarks.unrepeated`.

    python -m benchmarks.unrepeated [--rounds 15] [--only NAME ...]

Each iteration reads new random positions, so no flush is in the cache: its plans have to be bound
or made. Each program runs with the setting `recording_backoff` off (`recorded`) and by default
(`paused`), alternating in one process, beside NumPy; results are compared. Figures are medians over
rounds: microseconds of an iteration of NumPy, and speed-ups of the others. `eager_instructions`
counts eager operations.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy

from benchmarks.in_turn import Loop, Race, main

ROWS = 500
draws = numpy.random.default_rng()  # each call of a program has its own rows
seeds: dict[tuple[str, int, int], list[int]] = {}


@cache
def table(np: Any, n: int) -> Any:
    """Returns the table; it is made in the first rounds, which are not timed."""
    return np.arange(float(ROWS * n)).reshape(ROWS, n) * 1e-4


def drawn(name: str, np: Any, n: int, most: int, steps: int) -> list[int]:
    """Returns the same positions for all variants of a round: NumPy runs first and draws them."""
    if np is numpy:
        seeds[name, n, steps] = draws.integers(0, most, steps).tolist()
    return seeds[name, n, steps]


def sum_of_rows(np: Any, n: int, steps: int) -> Any:
    x, total = table(np, n), np.zeros(n)
    for k in drawn("sum_of_rows", np, n, ROWS, steps):
        total += x[k]
    return total


def distances(np: Any, n: int, steps: int) -> Any:
    x, found = table(np, n), np.zeros(ROWS)
    for k in drawn("distances", np, n, ROWS, steps):
        found[k] = ((x[k] - x[k * 7 % ROWS]) ** 2).sum()
    return found


def gradient(np: Any, n: int, steps: int) -> Any:
    """Runs least squares by stochastic gradients, a row at a time."""
    x, w = table(np, n), np.zeros(n)
    y = [float(k % 10) for k in range(ROWS)]
    for k in drawn("gradient", np, n, ROWS, steps):
        row = x[k]
        w -= 1e-9 * ((row * w).sum() - y[k]) * row
    return w


def gradient_of_batches(np: Any, n: int, steps: int) -> Any:
    x, w, y = table(np, n), np.zeros(n), np.arange(float(ROWS)) % 10
    for k in drawn("gradient_of_batches", np, n, ROWS - 32, steps):
        some = x[k : k + 32]
        w -= 1e-9 * (some.T @ (some @ w - y[k : k + 32]))
    return w


def windows(np: Any, n: int, steps: int) -> Any:
    x, weights, found = np.arange(float(n + ROWS)), np.linspace(0.0, 1.0, n), np.zeros(ROWS)
    for k in drawn("windows", np, n, ROWS, steps):
        found[k] = (x[k : k + n] * weights).sum()
    return found


LOOPS = [
    Loop(sum_of_rows, (100, 1_000, 10_000), 1000),
    Loop(distances, (100, 1_000, 10_000), 400),
    Loop(gradient, (100, 1_000, 10_000), 400),
    Loop(gradient_of_batches, (100, 1_000), 400),
    Loop(windows, (100, 1_000, 10_000), 400),
]
RACE = Race(
    ways={"recorded": {"recording_backoff": "off"}, "paused": {"recording_backoff": "auto"}},
    base="numpy",
    counter="eager_instructions",
    counted_in="paused",
    tolerance=1e-9,
)

if __name__ == "__main__":
    sys.exit(main(__doc__, LOOPS, RACE))
