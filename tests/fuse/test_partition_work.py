"""How much partitioning looks at: it must grow with the program, not with its square."""

from __future__ import annotations

from collections.abc import Callable

import hassium as np


def counted(record: Callable[[], object]) -> dict[str, int]:
    """The counters of one greedy partitioning of what `record` records."""
    np.flush()
    with np.config(eager_elements=0, queue_instructions=1_000_000, partitioner="greedy"):
        np.cache_clear()
        np.reset_stats()
        kept = record()
        np.flush()
        stats = np.stats()
    del kept
    assert stats["cache_misses"] == 1
    return stats


def lines(size: int, sweeps: int) -> dict[str, int]:
    """Recurrences over the columns of one matrix and the rows of another."""
    p, v = np.ones((size, size)), np.ones((size, size))

    def record() -> None:
        for _ in range(sweeps):
            for j in range(1, size - 1):
                p[1:-1, j] = -0.3 / (0.2 * p[1:-1, j - 1] + 3.0)
            for j in range(size - 2, 0, -1):
                v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + p[1:-1, j]

    return counted(record)


def chain(steps: int) -> dict[str, int]:
    x = np.ones(6)

    def record() -> object:
        y = x
        for _ in range(steps):
            y = y * 0.5
        return y

    return counted(record)


def test_long_paths_are_not_walked_to_their_ends() -> None:
    for sweeps in (6, 12):
        stats = lines(60, sweeps)
        assert stats["path_steps"] < 250 * stats["instructions"]


def test_views_that_do_not_overlap_are_looked_at_once() -> None:
    few, many = lines(60, 2), lines(60, 6)
    pairs = 2 * 60 * 60 / 2
    assert few["view_pairs"] < 2 * pairs
    assert many["view_pairs"] == few["view_pairs"]


def test_blocks_with_many_neighbours_are_not_asked_for_all_of_them() -> None:
    few, many = chain(200), chain(400)
    assert many["path_steps"] < 2.2 * few["path_steps"]
