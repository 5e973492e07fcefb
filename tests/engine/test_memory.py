"""What a program holds at the same time, beside what NumPy would hold."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np

SLACK = 32 << 20  # what a flush may hold beyond the operations one at a time


def peak(body: Any) -> tuple[int, Any]:
    """Bytes of arrays that the body adds at most, and its result."""
    np.flush()
    np.cache_clear()
    np.reset_stats()
    before = np.stats()["bytes_held"]
    result = body()
    np.flush()
    return np.stats()["bytes_peak"] - before, result


def slopes(library: Any, count: int, steps: int) -> Any:
    """Every step makes an array that must exist, since it is read with a shift."""
    ramp = library.arange(float(count))
    sums = []
    for step in range(steps):
        x = ramp * (step + 0.5)
        sums.append((x[1:] - x[:-1] ** 2).sum())
    return [float(value) for value in sums]


@pytest.mark.parametrize("partitioner", ["auto", "optimal", "greedy", "linear", "singleton"])
def test_steps_that_read_one_array_do_not_all_live_at_once(partitioner: str) -> None:
    count, steps = 1 << 20, 20
    with np.config(partitioner=partitioner):
        most, sums = peak(lambda: slopes(np, count, steps))
    # The ramp, one step's array and three temporaries are what NumPy holds; not twenty arrays.
    assert most <= 5 * 8 * count + SLACK + (1 << 20)
    assert sums == pytest.approx(slopes(numpy, count, steps), rel=1e-12)


def test_small_steps_are_not_cut() -> None:
    np.flush()
    np.cache_clear()
    np.reset_stats()
    with np.config(lazy_scalars="on"):
        slopes(np, 10_000, 20)
    assert np.stats()["blocks"] == 21, "one block makes all arrays; each is read in its own"


def test_arrays_that_only_the_queue_holds_are_let_go() -> None:
    count, steps = 1 << 21, 12

    def body() -> Any:
        total = np.zeros(())
        for step in range(steps):
            x = np.array(numpy.full(count, float(step)))
            total = total + x.sum()
            del x
        return total

    most, total = peak(body)
    assert most <= (64 << 20) + 3 * 8 * count
    assert float(total) == count * sum(range(steps))


def test_draws_take_the_memory_of_earlier_draws_again() -> None:
    count, steps = 6_000_000, 6
    generator = np.random.default_rng(1)

    def body() -> list[int]:
        hits = []
        for _ in range(steps):
            x, y = generator.random(count), generator.random(count)
            hits.append((x * x + y * y <= 1.0).sum())
        return [int(hit) for hit in hits]

    most, hits = peak(body)
    assert most <= 5 * 8 * count
    assert all(abs(hit / count - 0.785) < 0.01 for hit in hits)


def test_a_grid_replaced_every_step_is_still_fused_over_steps() -> None:
    u = np.ones((3000, 3000))
    np.flush()
    np.reset_stats()
    for _ in range(4):
        t = u * 0.5
        u = t + 1.0
    np.flush()
    stats = np.stats()
    assert stats["flushes"] == 1
    assert stats["blocks"] == 1
