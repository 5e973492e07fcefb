"""Arrays from lists: of numbers, of rows, of arrays, against NumPy."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy
import pytest

import hassium as np
from array_pairs import agree

FORMS: list[dict[str, Any]] = [
    {},
    {"order": "F"},
    {"dtype": "f4"},
    {"dtype": "f8"},
    {"dtype": "i8"},
    {"dtype": "c8"},
    {"dtype": "?"},
    {"ndmin": 4},
    {"copy": False},
]

NUMBERS: list[Any] = [
    [1.0, 2.0, 3.0],
    (1, 2, 3),
    [1, 2.5, -3],
    [2.5, 1],
    [-0.0, 0],
    [numpy.nan, numpy.inf, 1e300],
    [numpy.float64(1.5), 2],
    [numpy.float32(1.5), 2],
    [numpy.int64(3), 2.5],
    [2**63 - 1, -(2**63)],
    [2**53 + 1, 0.5],
    [2**63],
    [2**63, 0.5],
    [2**64, 1],
    [10**400, 0.5],
    [True, False],
    [True, 2],
    [1, None],
    [1, "a"],
    [1j, 2],
    [],
    [[]],
    [[], []],
    [[1, 2], [3, 4]],
    [[1, 2], (3.5, 4)],
    ([1.0, 2.0, 3.0],),
    [[1], [2], [3]],
    [[1, 2], [3]],
    [[1, 2], 3],
    [1, [2, 3]],
    [[1, 2], [3, "a"]],
    [[1, 2], [3, True]],
    [[[1, 2]], [[3, 4]]],
    [[1, 2], numpy.array([3, 4])],
    [range(2), [1, 2]],
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_lists_of_numbers(numbers: Any, form: dict[str, Any]) -> None:
    """Their dtype, bits, layout and errors."""

    def made(m: Any) -> Any:
        array = m.array(numbers, **form)
        flags.append((array.flags.c_contiguous, array.flags.f_contiguous, array.flags.writeable))
        signs.append(numpy.signbit(array).tolist() if array.dtype.kind == "f" else None)
        return array

    flags: list[tuple[bool, ...]] = []
    signs: list[Any] = []
    agree(lambda: made(numpy), lambda: made(np))
    assert len(set(flags)) <= 1
    assert len(signs) < 2 or str(signs[0]) == str(signs[1])


def test_a_list_that_another_thread_changes() -> None:
    """While memory is made others may run: what is read then is what the list holds then."""
    interval = sys.getswitchinterval()
    held = np.ones(2_000_000)  # more than what dies
    rows: list[Any] = [[0.0] * 50 for _ in range(50)]
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            rows[7] = [1.0] * 50
            rows.append([2.0] * 50)
            rows[7] = [1] * 50
            rows.pop()

    changer = threading.Thread(target=change)
    sys.setswitchinterval(1e-6)
    try:
        changer.start()
        for _ in range(100):
            with np.config(pending_bytes=0):
                died = held[:200_000] + 0.0
                np.flush()
                pending = died * 3.0
                del died  # its memory is taken again before there is new: a flush
                np.reset_stats()
                made = np.array(rows)
                assert np.stats()["flushes"] == 1
            assert made.shape in ((50, 50), (51, 50))
            assert numpy.isin(made, (0.0, 1.0, 2.0)).all()
            assert pending[0] == 3.0
    finally:
        stop.set()
        changer.join()
        sys.setswitchinterval(interval)


ROWS: dict[str, Any] = {
    "alike": lambda m: [m.arange(3.0), m.ones(3)],
    "pending": lambda m: [m.arange(300.0) * k for k in range(5)],
    "two dtypes": lambda m: [m.arange(3, dtype="i2"), m.ones(3, "f4"), m.zeros(3, "?")],
    "matrices": lambda m: [m.arange(6.0).reshape(2, 3).T, m.ones((3, 2))],
    "numbers": lambda m: (m.arange(300.0).sum(), (m.arange(300.0) * 2).max()),
    "numbers without axes": lambda m: [m.array(1.5), m.array(2.5)],
    "empty": lambda m: [m.ones((0, 2)), m.ones((0, 2))],
    "one": lambda m: (m.arange(3)[::-1],),
    "one twice": lambda m: [row := m.arange(3.0), row],
    "of two lengths": lambda m: [m.ones(3), m.ones(2)],
    "and others": lambda m: [m.ones(3), numpy.zeros(3), [4, 5, 6]],
    "nested": lambda m: [[m.ones(3), m.zeros(3)], [m.zeros(3), m.ones(3)]],
    "most axes": lambda m: [m.ones((1,) * 64)],
    "complex": lambda m: [m.ones(2, "c16") * 1j, m.ones(2)],
}


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_lists_of_arrays(rows: str, form: dict[str, Any]) -> None:
    def stacked(m: Any) -> Any:
        made = m.array(ROWS[rows](m), **form)
        assert type(made) is m.ndarray
        layout.append((made.flags.c_contiguous, made.flags.f_contiguous))
        return made

    layout: list[tuple[bool, bool]] = []
    agree(lambda: stacked(numpy), lambda: stacked(np))
    assert len(set(layout)) <= 1


def test_lists_of_pending_arrays_stay_pending() -> None:
    rows = [np.arange(300.0) * k for k in range(5)]
    np.flush()
    np.reset_stats()
    rows = [row + 1 for row in rows]
    stacked = np.array(rows)
    assert np.stats()["flushes"] == 0
    rows[0][...] = 0
    assert stacked[0, -1] == 1.0
    assert stacked[4, -1] == 299 * 4 + 1


@pytest.mark.parametrize(
    "call",
    [
        "m.minimum.reduce([x, y, x])",
        "m.add.reduce((x[1:], x[:-1]), out=x[1:])",
        "m.max([x, y], axis=0)",
        "m.sum([x.sum(), y[0], 1.5])",
        "m.prod([[x, y], [y, x]], axis=(0, 1))",
        "m.logical_or.reduce([x > 1, y > 1, x > 2], axis=0)",
        "m.add(x, [y, x, y])",
        "m.maximum([1, 2, 3, 4], x.astype('u1'))",
        "[y, y] - x",
        "m.add.reduce([x, y[:2]])",
        "m.add.reduce([])",
        "m.sum([x, k], axis=0)",
        "m.cumsum([x, y], axis=0)",
        "m.add.accumulate([x, y])",
        "m.hypot([3.0, 5], (4, 12))",
    ],
)
def test_lists_as_operands(call: str) -> None:
    def found(m: Any, wanted: str) -> Any:
        given = {"x": m.arange(4.0), "y": m.array([3.0, -1.0, 2.5, 0.0]), "k": m.arange(4)}
        result = eval(call, {"m": m}, given)
        return given["x"] if wanted == "x" else result

    for wanted in ("result", "x"):
        agree(lambda: found(numpy, wanted), lambda: found(np, wanted))  # noqa: B023


def test_lists_as_operands_stay_pending() -> None:
    x = np.arange(100_000.0) + 1.0
    np.reset_stats()
    least = np.minimum.reduce([x, x[::-1], x * 2.0])
    assert np.stats()["flushes"] == 0
    assert least[0] == 1.0
    assert not np.stats()["eager"]
