"""A program whose flushes cost more to plan than they spare records nothing small for a while."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy
import pytest

import hassium as np

ROWS = 200
N = 600  # elements of a row: more than run at the call anyhow, few enough for a pause
MANY = 2000  # turns: some flushes are planned, then most run at the call


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    np.flush()
    np.cache_clear()


def on_new_thread(work: Callable[[], None]) -> None:
    """With pauses. What is held against recording is the queue's, and a queue is a thread's."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    thread = Thread(target=guarded)
    with np.config(recording_backoff="auto"):
        thread.start()
        thread.join()
    if failures:
        raise failures[0]


def order(seed: int, turns: int = MANY) -> list[int]:
    return numpy.random.default_rng(seed).integers(0, ROWS, turns).tolist()


def table(m: Any, n: int, dtype: str = "float64") -> Any:
    return (m.arange(ROWS * n).reshape(ROWS, n) % 97).astype(dtype)


def sum_of_rows(m: Any, x: Any, turns: list[int]) -> Any:
    total = m.zeros(x.shape[1], x.dtype)
    for k in turns:
        total += x[k]
    return total


def distances(m: Any, x: Any, turns: list[int]) -> Any:
    found = m.zeros(ROWS, x.dtype)
    for k in turns:
        found[k] = ((x[k] - x[k * 7 % ROWS]) ** 2).sum()
    return found


def extremes(m: Any, x: Any, turns: list[int]) -> Any:
    least = x[0].copy()
    for k in turns:
        m.minimum(least, x[k][::-1], out=least)
        least[k % 3] = x[k].max() - k
    return least


def chosen(m: Any, x: Any, turns: list[int]) -> Any:
    y = x[1] * 1
    for k in turns:
        y = m.where(y > x[k], y - x[k], y + 1)
    return y


def products(m: Any, x: Any, turns: list[int]) -> Any:
    w = m.zeros(x.shape[1], x.dtype)
    for k in turns:
        some = x[k % 150 : k % 150 + 40]
        w = (w + some.T @ (some @ w + 1)) % 13
    return w


PROGRAMS = [sum_of_rows, distances, extremes, chosen, products]


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("n", [100, 1500, 5000])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results(program: Callable[[Any, Any, list[int]], Any], n: int, dtype: str) -> None:
    """Whole numbers: sums in any order are the same."""
    turns = order(1, 600)
    expected = program(numpy, table(numpy, n, dtype), turns)

    def work() -> None:
        for way in ("auto", "off"):
            with np.config(recording_backoff=way):
                found = program(np, table(np, n, dtype), turns)
                assert numpy.array_equal(numpy.array(found), expected), way

    on_new_thread(work)


@pytest.mark.parametrize("program", PROGRAMS)
def test_most_of_what_never_repeats_runs_at_the_call(
    program: Callable[[Any, Any, list[int]], Any],
) -> None:
    def recorded(x: Any, way: str) -> int:
        with np.config(recording_backoff=way, lazy_scalars="on"):
            np.flush()
            np.reset_stats()
            program(np, x, order(2, 4 * MANY))
            np.flush()
            stats = np.stats()
        return int(stats["instructions"] - stats["eager_instructions"])

    def work() -> None:
        x = table(np, N)
        all_of_them = recorded(x, "off")
        assert all_of_them >= 4 * MANY
        assert recorded(x, "auto") < all_of_them / 2

    on_new_thread(work)


def layers(m: Any, x: Any, turns: list[int]) -> Any:
    """Batches of 32 through a layer whose function takes many cycles an element."""
    w = m.ones((x.shape[1], 50)) / 7
    for k in turns:
        batch = x[k % 150 : k % 150 + 32] / 97
        hidden = m.tanh(batch @ w)
        w -= 0.001 * (batch.T @ ((1 - hidden**2) * (hidden - 0.5)))
    return w


def evidence(m: Any, x: Any, turns: list[int]) -> Any:
    """What is recorded depends on data and never repeats; nothing is read."""
    p = m.ones(x.shape[1])
    for k in turns:
        p = p * (x[0] + 1 if k % 97 < 30 + k % 5 else x[1] + 2)
        p = p / p.sum()
    return p


@pytest.mark.parametrize(("program", "n", "share"), [(layers, 20, 0.5), (evidence, N, 0.3)])
def test_what_soon_runs_at_the_call(
    program: Callable[[Any, Any, list[int]], Any], n: int, share: float
) -> None:
    """Functions of many cycles do not keep back what waits for them, and a queue that fills up
    without a period is told by itself."""
    turns = order(3, 4 * MANY)

    def work() -> None:
        x = table(np, n)
        np.flush()
        np.reset_stats()
        found = program(np, x, turns)
        np.flush()
        stats = np.stats()
        assert stats["instructions"] - stats["eager_instructions"] < share * stats["instructions"]
        expected = program(numpy, table(numpy, n), turns)
        numpy.testing.assert_allclose(numpy.array(found), expected, rtol=1e-6)

    on_new_thread(work)


def test_results_do_not_change_by_a_bit() -> None:
    x = numpy.random.default_rng(4).normal(size=(ROWS, 3001))
    turns = order(5, 900)

    def program() -> Any:
        a, w, found = np.asarray(x), np.zeros(3001), np.zeros(ROWS)
        for k in turns:
            # Blocks of several phases and of other lengths are planned anew.
            half = 1500 - k % 40
            row = a[k, : 2 * half + 1]
            w[: len(row)] -= 1e-4 * ((row * w[: len(row)]).sum() - k) * row
            found[k] += (row[:half] * w[:half]).mean() + row.prod() + np.subtract.reduce(row)
            found[k] += row[:-1].reshape(2, half).sum(axis=1)[k % 2] + row.max()
        return numpy.array(np.concatenate([w, found]))

    def work() -> None:
        np.reset_stats()
        paused = program()
        assert np.stats()["eager_instructions"] > 1500
        with np.config(recording_backoff="off"):
            assert paused.tobytes() == program().tobytes()

    on_new_thread(work)


def test_what_repeats_is_recorded_again() -> None:
    """After a pause, and a few flushes."""

    def work() -> None:
        x = table(np, N)
        sum_of_rows(np, x, order(6, 3 * MANY))
        y = np.zeros(N)
        for turn in range(3):
            np.reset_stats()
            for _ in range(40_000):
                y += x[7]
            stats = np.stats()
            if turn == 0:
                assert stats["eager_instructions"] > 1000, "the pause"
        assert stats["eager_instructions"] == 0
        assert stats["cache_hits"] > 0
        assert stats["cache_misses"] == 0

    on_new_thread(work)


def test_another_program_ends_a_pause() -> None:
    def work() -> None:
        x = table(np, N)
        sum_of_rows(np, x, order(6, 20 * MANY))
        u, v = np.ones((40, 40)), np.ones((30, 30), "float32")
        np.reset_stats()
        for _ in range(1000):
            u = u * 0.5 + 1.0
            v = np.maximum(v - 0.25, 0.5)
        stats = np.stats()
        assert 0 < stats["eager_instructions"] < 200
        assert stats["flushes"] > 0

    on_new_thread(work)


def test_an_explicit_flush_ends_a_pause() -> None:
    def work() -> None:
        x = table(np, N)
        total = sum_of_rows(np, x, order(6, 5 * MANY))
        np.flush()
        np.reset_stats()
        for _ in range(50):
            total += x[7]
        assert np.stats()["eager_instructions"] == 0

    on_new_thread(work)


def test_pauses_become_longer() -> None:
    def work() -> None:
        x = table(np, N)
        shares = []
        for turn in range(4):
            np.reset_stats()
            sum_of_rows(np, x, order(7 + turn, 6 * MANY))
            stats = np.stats()
            shares.append(stats["eager_instructions"] / stats["instructions"])
        assert shares[0] < 0.95
        assert shares[-1] > 0.95

    on_new_thread(work)


def test_steps_that_were_planned_once_never_pause() -> None:
    def work() -> None:
        u = np.ones((40, 40))
        np.flush()
        np.reset_stats()
        for _ in range(3000):
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        assert np.stats()["eager_instructions"] == 0

    on_new_thread(work)


def test_other_settings_are_no_reason_for_a_pause() -> None:
    """With each of them everything is planned anew, once, and once more when units grow."""
    matrix = numpy.random.default_rng(12).uniform(0, 1, (200, 200)) + 200 * numpy.eye(200)

    def eliminate() -> None:
        a = np.array(matrix)
        for k in range(199):
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k].copy()[:, None] * a[k, k + 1 :]
        numpy.asarray(a)

    def work() -> None:
        for turn in range(12):
            for threads in (2, 1):
                with np.config(threads=threads, background_flush="off"):
                    np.reset_stats()
                    for _ in range(3):
                        eliminate()
                    stats = np.stats()
                    assert turn < 9 or stats["cache_misses"] == 0
                    assert turn < 9 or stats["eager_instructions"] < 10, "the last rows alone"

    on_new_thread(work)


def test_another_thread_goes_on_recording() -> None:
    x = table(np, N)
    np.flush()
    direct = []

    def dear() -> None:
        sum_of_rows(np, x, order(11, 2 * MANY))
        np.flush()
        on_new_thread(cheap)

    def cheap() -> None:
        np.reset_stats()
        y = x[0] * 1.0
        for _ in range(3000):
            y = y * 0.5 + 1.0
        np.flush()
        direct.append(np.stats()["eager_instructions"])

    on_new_thread(dear)
    assert direct == [0]


@pytest.mark.parametrize("n", [1000, 1025, 3001, 20_000])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "logaddexp"])
def test_long_rows_at_the_call_combine_as_in_a_block(name: str, n: int) -> None:
    x = numpy.random.default_rng(8).normal(size=n)
    for rows in (x, x[: n // 2 * 2].reshape(2, -1)):
        found = []
        for few in (0, 65_536):
            with np.config(eager_elements=few):
                a = np.asarray(rows)
                np.flush()
                np.reset_stats()
                found.append(numpy.array(getattr(np, name).reduce(a, axis=-1)).tobytes())
        assert found[0] == found[1]
        assert name in ("subtract", "logaddexp") or np.stats()["eager_instructions"] > 0
