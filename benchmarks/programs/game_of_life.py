"""Game of Life: every cell of a grid lives or dies by the number of its eight neighbours.

A live cell with two or three live neighbours stays, a dead one with three is born, all others are
dead in the next generation (Gardner, Mathematical Games, Scientific American, October 1970).
Counted with the cell itself that is: alive when the nine cells hold three, unchanged when they
hold four. Cells are numbers, 1 or 0; the rim of the grid stays dead. The size is rows * columns *
steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 20), "medium": (3000, 3000, 20), "paper": (10000, 10000, 20)}
EXACT = True  # integers

RIM = 2  # the symmetric pattern starts this far from the edges


def initial(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """Returns a scattered pattern, symmetric about the middle column, with an empty rim."""
    row = np.arange(rows)[:, None]
    column = np.arange(columns)
    outward = np.abs(2 * column - (columns - 1))
    scattered = (row * row + 3 * row * outward + 5 * outward * outward) % 11 < 4
    inside = (row >= RIM) & (row < rows - RIM) & (column >= RIM) & (column < columns - RIM)
    return (scattered & inside).astype(dtype)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The grid after the given number of generations."""
    rows, columns, steps = size
    grid = initial(np, rows, columns, dtype)
    views = [
        grid[top : rows - 2 + top, left : columns - 2 + left]
        for top in range(3)
        for left in range(3)
    ]
    cells = views[4]
    for _ in range(steps):
        count = views[0] + views[1]
        for view in views[2:]:
            count = count + view
        cells[:] = (count == 3) | ((count == 4) & (cells == 1))
    return grid


def successor(alive: set[tuple[int, int]], rows: int, columns: int) -> set[tuple[int, int]]:
    """Returns the next generation by Gardner's rules, as a set of live cells."""
    counts: dict[tuple[int, int], int] = {}
    for row, column in alive:
        for i in (row - 1, row, row + 1):
            for j in (column - 1, column, column + 1):
                if (i, j) != (row, column) and 0 < i < rows - 1 and 0 < j < columns - 1:
                    counts[i, j] = counts.get((i, j), 0) + 1
    return {cell for cell, n in counts.items() if n == 3 or (n == 2 and cell in alive)}


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that cells are 0 or 1, the rim, the symmetry, and a corner against the rules.

    After each generation the corner depends on one more row and column of cells.
    """
    rows, columns, steps = size
    assert ((result == 0) | (result == 1)).all(), "a cell is neither dead nor alive"
    assert (result == result[:, ::-1]).all(), "the grid is not mirror symmetric"
    for rim in (result[0], result[-1], result[:, 0], result[:, -1]):
        assert not rim.any(), "a cell of the rim is alive"
    corner = 24
    high, wide = min(rows, corner + steps + 1), min(columns, corner + steps + 1)
    start = initial(np, rows, columns, result.dtype)[:high, :wide]
    alive = set(zip(*(index.tolist() for index in np.nonzero(start)), strict=True))
    for _ in range(steps):
        alive = successor(alive, rows, columns)
    known = np.zeros((rows, columns), bool)
    for cell in alive:
        known[cell] = True
    near = np.s_[: min(corner, high), : min(corner, wide)]
    assert (result[near] == known[near]).all(), "a cell breaks the rules"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
