"""A few numbers written into a row or an element: converted as by NumPy, and when they run."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from array_pairs import outcome, same

NUMBERS: list[Any] = [
    (1.5, 2.5, 3.5),
    [1, 2, 3],
    (numpy.float64(1.5), 2, 3.5),
    (1, True, 2.5),
    [2**63, 1, 2],
    (2**70, 1, 2),
    (1.5,),
    (1.5, 2.5),
    (),
    [1.5, "a", 2],
    (1.5, None, 2.5),
    ((1, 2, 3),),
    (1j, 2, 3),
    (numpy.float32(1), numpy.int8(2), numpy.array(3.0)),
]


@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "i4", "?", "c16"])
@pytest.mark.parametrize("numbers", NUMBERS, ids=repr)
def test_numbers_go_into_a_row(numbers: Any, dtype: str) -> None:
    def fill(a: Any) -> Any:
        a[1] = numbers
        a[::2, 0] = numbers[:2]
        return a

    start = numpy.arange(12).reshape(4, 3).astype(dtype)
    own = hassium.array(start)
    hassium.flush()
    wrote = outcome(lambda: fill(start))[0]
    assert outcome(lambda: fill(own))[0] == wrote
    if wrote == "value":  # NumPy leaves the numbers before the one that it refused
        same(start, own)


def test_numbers_go_into_a_row_at_once() -> None:
    out = hassium.zeros((4, 3))
    hassium.flush()
    hassium.reset_stats()
    for row in range(4):
        out[row] = 1.0, 2.0, float(row)
    stats = hassium.stats()
    assert stats["instructions"] == stats["eager_instructions"] == 4
    assert out.tolist() == [[1.0, 2.0, float(row)] for row in range(4)]


def test_many_numbers_in_a_row_end_what_is_pending() -> None:
    """Each would be an instruction of its own."""
    hassium.flush()
    hassium.reset_stats()
    out, column = hassium.zeros((200, 3)), hassium.ones(300)
    for row in range(200):
        out[row] = 1.0, 2.0, float(row)
    for k in range(300):
        column[k] = float(k)
    stats = hassium.stats()
    assert stats["instructions"] - stats["eager_instructions"] < 40
    assert out.sum() == 600 + 200 * 199 / 2
    assert column.tolist() == list(range(300))


def test_a_few_numbers_beside_other_work_leave_it_pending() -> None:
    x = hassium.zeros(1000)
    hassium.flush()
    hassium.reset_stats()
    for step in range(40):
        x += 1.0
        x[0] = 0.0
        x[-1] = float(step)
    assert hassium.stats()["flushes"] == 0
    assert x.tolist() == [0.0, *[40.0] * 998, 39.0]
