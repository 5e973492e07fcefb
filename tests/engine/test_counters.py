"""What the counters must show for programs whose cost is known."""

from __future__ import annotations

import hassium as np


def loop(iterations: int, size: int) -> np.ndarray:
    """A time loop with five named temporaries and no read."""
    u = np.ones(size)
    for _ in range(iterations):
        t1 = u * 0.5
        t2 = t1 + 1.0
        t3 = t2 * t1
        t4 = t3 - u
        t5 = t4 * 0.25
        u = u + t5
    return u


def test_time_loop_contracts_its_temporaries_with_one_key() -> None:
    np.flush()
    np.cache_clear()
    np.reset_stats()
    iterations = 10_000
    u = loop(iterations, 1000)
    recorded = np.stats()
    np.flush()
    stats = np.stats()
    assert stats["instructions"] == 6 * iterations + 1
    assert recorded["cache_misses"] <= 2, "the set-up and the loop"
    assert recorded["flushes"] > 5
    # Five temporaries and all but the last u of every flush.
    assert recorded["contracted"] >= 5 * (iterations - 3000)
    assert float(u[0]) == float(loop_reference(iterations))


def test_a_first_run_plans_one_turn_of_its_loop() -> None:
    """Nothing else of 2,000 instructions is planned; products and sums alternate within it."""
    x = np.linspace(1.0, 2.0, 1000)
    np.flush()
    np.cache_clear()
    np.reset_stats()
    total = np.zeros(1000)
    for turn in range(50):
        y = x
        for power in range(20):
            y = y * x + float(power)
        total += y * float(turn)
    stats = np.stats()
    assert stats["cache_misses"] == 1
    assert stats["cache_hits"] >= 20
    assert stats["blocks"] <= stats["flushes"] + 2
    assert float(total[0]) == sum(turn * float(y_reference()) for turn in range(50))


def y_reference() -> float:
    y = 1.0
    for power in range(20):
        y = y + float(power)
    return y


def loop_reference(iterations: int) -> float:
    u = 1.0
    for _ in range(iterations):
        t1 = u * 0.5
        u = u + ((t1 + 1.0) * t1 - u) * 0.25
    return u


def test_second_flush_of_a_loop_hits_the_cache() -> None:
    x = np.ones(5000)
    np.flush()
    np.cache_clear()
    np.reset_stats()
    for _ in range(10):
        y = x * 2.0 + 1.0
        assert float(y[5]) == 3.0
    stats = np.stats()
    assert stats["cache_misses"] == 1
    assert stats["cache_hits"] == 9


def test_chain_on_many_elements_makes_no_temporary_and_no_page_fault() -> None:
    n = 10_000_000
    x = np.ones(n)
    with np.config(threads=1):
        for _ in range(3):
            y = chain(x)
            np.flush()
        np.reset_stats()
        y = chain(x)
        np.flush()
        stats = np.stats()
    assert stats["contracted"] == 9
    assert stats["page_faults"] == 0
    assert stats["blocks"] == 1
    assert stats["bytes_moved"] == 2 * 8 * n
    assert float(y[0]) == float(y[n - 1])


def test_blocks_are_shared_where_that_pays() -> None:
    def shared(n: int, share: str) -> int:
        x = np.ones(n)
        np.flush()
        np.reset_stats()
        with np.config(threads=2, parallelize=share, eager_elements=0):
            y = x * 2.0 + 1.0
            np.flush()
        assert float(y[n - 1]) == 3.0
        return int(np.stats()["parallel_blocks"])

    assert shared(1000, "auto") == 0
    assert shared(1000, "on") == 1
    assert shared(1_000_000, "auto") == 1


def chain(x: np.ndarray) -> np.ndarray:
    return ((((x * 2.0 + 1.0) * x - 0.5) * x + 0.25) * x - 1.0) * 0.5 + x
