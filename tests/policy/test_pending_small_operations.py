"""What would run at the call waits for pending work only for a while: a loop that stores row after
row into an array whose zeros are pending must not record each of its writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

MOST = 32  # held back in a row
COUNT = 400


def of_rows(m: Any, length: int, store: Callable[[Any, Any, int], None]) -> Any:
    order = numpy.random.default_rng(3).permutation(COUNT).tolist()
    rows = m.arange(float(COUNT * length)).reshape(COUNT, length)
    out = m.zeros((COUNT, length))
    for i, k in enumerate(order):
        store(out, rows[k], i)
    return out


def put_row(out: Any, row: Any, i: int) -> None:
    out[i] = row


def put_backwards(out: Any, row: Any, i: int) -> None:
    out[i, ::-1] = row


def put_twice(out: Any, row: Any, i: int) -> None:
    out[i] = row
    out[0] = out[i]


def add_row(out: Any, row: Any, i: int) -> None:
    out[i % 7] += row


def put_number(out: Any, row: Any, i: int) -> None:
    out[i, -1] = i + 0.5


STORES = [put_row, put_backwards, put_twice, add_row, put_number]


@pytest.mark.parametrize("length", [1, 7, 60, 1000])
@pytest.mark.parametrize("store", STORES)
def test_results(store: Callable[[Any, Any, int], None], length: int) -> None:
    found = of_rows(np, length, store)
    assert (numpy.asarray(found) == of_rows(numpy, length, store)).all()


@pytest.mark.parametrize("length", [7, 60])
@pytest.mark.parametrize("store", STORES)
def test_later_ones_run_at_the_call(store: Callable[[Any, Any, int], None], length: int) -> None:
    np.flush()
    np.reset_stats()
    of_rows(np, length, store)
    stats = np.stats()
    assert stats["flushes"] == 1
    recorded = stats["instructions"] - stats["eager_instructions"]
    assert MOST <= recorded <= MOST + 2  # and the numbers and zeros at the start


def test_rows_that_are_only_moved_may_be_longer() -> None:
    np.flush()
    np.reset_stats()
    of_rows(np, 1000, put_row)
    stats = np.stats()
    assert stats["flushes"] == 1
    assert stats["instructions"] - stats["eager_instructions"] <= MOST + 2


def test_conditions_at_boundaries_stay_in_the_block_of_the_step() -> None:
    """As many as cavity flow has in a step, and the steps are fused."""
    u = np.ones((300, 300))
    np.flush()
    np.reset_stats()
    for _ in range(4):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        for _ in range(3):
            u[0] = u[1]
            u[-1] = u[-2]
            u[:, 0] = u[:, 1]
            u[:, -1] = 0.0
    stats = np.stats()
    assert stats["flushes"] == 0
    assert stats["eager_instructions"] == 0
    theirs = numpy.ones((300, 300))
    for _ in range(4):
        theirs[1:-1, 1:-1] = 0.25 * (
            theirs[:-2, 1:-1] + theirs[2:, 1:-1] + theirs[1:-1, :-2] + theirs[1:-1, 2:]
        )
        for _ in range(3):
            theirs[0] = theirs[1]
            theirs[-1] = theirs[-2]
            theirs[:, 0] = theirs[:, 1]
            theirs[:, -1] = 0.0
    assert (numpy.asarray(u) == theirs).all()


def test_large_operations_between_them_start_the_count_again() -> None:
    x = np.zeros(100_000)
    np.flush()
    np.reset_stats()
    for _ in range(3):
        x += 1.0
        for i in range(MOST - 2):
            x[i] = 0.5
    assert np.stats()["flushes"] == 0
    assert float(x.sum()) == 3.0 * (100_000 - (MOST - 2)) + 0.5 * (MOST - 2)


def test_setting_zero_holds_nothing_back() -> None:
    np.flush()
    with np.config(eager_elements=0):
        np.reset_stats()
        out = of_rows(np, 7, put_row)
        assert np.stats()["eager_instructions"] == 0
        assert (numpy.asarray(out) == of_rows(numpy, 7, put_row)).all()
