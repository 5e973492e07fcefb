"""Rows that are blocks of their own run at the call on arrays that are not large and ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

N = 700
INDEX = numpy.random.default_rng(2).integers(-N, N, 60)


def put(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


STEPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "take": lambda m, x, i: x[i],
    "argmax": lambda m, x, i: x.argmax(),
    "put a number": lambda m, x, i: put(x, i, 3),
    "put numbers": lambda m, x, i: put(x, i, m.arange(60.0) * 1.0),
    "put integers": lambda m, x, i: put(x, i, i),
    "put a row": lambda m, x, i: put(x.reshape(70, 10), i % 70, x[:10].copy()),
    "put columns": lambda m, x, i: put(x.reshape(70, 10).T, i % 10, 0.5),
    "put itself": lambda m, x, i: put(x, i, x[::-1][:60]),
    "put in part": lambda m, x, i: put(x[::3], i[:9] % 200, 7),
    "put nothing": lambda m, x, i: put(x, i[:0], 7),
}


@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_results_are_the_same_at_the_call_and_later(step: str, waiting: bool) -> None:
    values = numpy.random.default_rng(1).random(N)
    theirs, ours, index = values.copy(), np.array(values), np.array(INDEX)
    if waiting:
        theirs, ours = theirs * 2.0, ours * 2.0
    else:
        np.flush()
    wanted = STEPS[step](numpy, theirs, INDEX)
    found = STEPS[step](np, ours, index)
    assert (numpy.asarray(found) == wanted).all()
    assert (numpy.asarray(ours) == theirs).all()


@pytest.mark.parametrize("step", ["argmax", "put a number"])
def test_nothing_waits_that_cannot_be_fused(step: str) -> None:
    x, index = np.ones(N), np.array(INDEX)
    np.flush()
    np.reset_stats()
    for _ in range(10):
        STEPS[step](np, x, index)
    stats = np.stats()
    assert stats["eager_instructions"] == stats["instructions"]
    assert stats["flushes"] == 0


def test_a_put_into_much_is_small_work() -> None:
    x = np.zeros(1_000_000)
    np.flush()
    np.reset_stats()
    x[np.array([1, 5])] = 2.0
    assert np.stats()["flushes"] == 0
    assert float(x.sum()) == 4.0


def test_what_stands_alone_runs_at_the_call_though_it_is_larger() -> None:
    """As in a triangular system solved row by row, and in random walks over a table."""
    n = 3000
    a, b, x, at = np.ones((2, n)), np.arange(float(n)), np.zeros(n), np.arange(n)[::-1].copy()
    np.flush()
    np.reset_stats()
    for i in range(50):
        x[i] = (b[i] - a[1, :i] @ x[:i]) / a[1, i]
        assert float(a[0] @ b) == n * (n - 1) / 2
        assert int(np.argmax(b)) == n - 1
        assert b[at][1] == n - 2
    stats = np.stats()
    assert stats["flushes"] == 0
    assert stats["eager_instructions"] == stats["instructions"] >= 4 * 50


def forget_reads() -> None:
    """What is read soon runs at the call with more elements."""
    x = np.ones(10_000)
    for _ in range(12):
        x = x * 2.0
    np.flush()


LINES: dict[str, Callable[[Any, Any], Any]] = {
    "a map": lambda m, x: m.exp(x * 2.0 - 1.0),
    "a sum of rows": lambda m, x: x.sum(axis=0) * 2.0,
    "a matrix and its copy": lambda m, x: x.reshape(-1) * x.reshape(-1).astype("f4"),
    "every second": lambda m, x: x.reshape(-1)[::2] * 2.0 - x.reshape(-1)[::-2],
    "under a number": lambda m, x: m.where(x > 0.5, x, -x) + x.max(),
}


@pytest.mark.parametrize(("rows", "columns"), [(1, 65), (32, 16)])
@pytest.mark.parametrize("program", LINES)
def test_what_lies_in_one_line_runs_at_the_call(program: str, rows: int, columns: int) -> None:
    values = numpy.random.default_rng(5).random((rows, columns))
    x = np.asarray(values)
    results = {}
    for few in (0, 64):
        with np.config(eager_elements=few):
            forget_reads()
            np.reset_stats()
            found = LINES[program](np, x)
            stats = np.stats()
            results[few] = numpy.array(found).tobytes()
    assert results[0] == results[64]
    assert stats["eager_instructions"] == stats["instructions"] >= 2
    numpy.testing.assert_allclose(numpy.array(found), LINES[program](numpy, values), rtol=1e-15)


@pytest.mark.parametrize("n", [513, 600])
def test_lines_of_more_are_recorded(n: int) -> None:
    x = np.ones(n)
    forget_reads()
    np.reset_stats()
    y = x * 2.0 + 1.0
    assert np.stats()["eager_instructions"] == 0
    assert float(y[3]) == 3.0


def test_products_that_are_ready_run_at_the_call() -> None:
    """They share no loop: recorded, they would keep back all that follows them."""
    a, v = np.ones((64, 64)) * 0.5, np.ones(64)
    np.flush()
    np.reset_stats()
    for _ in range(100):
        v = a @ v
        v = v / v.sum()
    stats = np.stats()
    assert stats["flushes"] == 0
    assert stats["eager_instructions"] == stats["instructions"] == 300
    large = np.ones((700, 700))
    np.flush()
    np.reset_stats()
    large @ large[0]
    assert np.stats()["eager_instructions"] == 0
