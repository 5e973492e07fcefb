"""Memory of other objects, by the buffer protocol or an interface, is shared as NumPy shares it."""

from __future__ import annotations

import array
import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

import hassium as hs
from raising import raised_by_handler


class Interface:
    def __init__(self, values: Any) -> None:
        self.values = values

    def __getitem__(self, index: int) -> Any:
        return self.values[index]

    @property
    def __array_interface__(self) -> Any:
        return self.values.__array_interface__


def mapped() -> mmap.mmap:
    return mmap.mmap(-1, 16)


LENDERS: dict[str, Any] = {
    "array": lambda m: array.array("d", [1, 2, 3]),
    "bytearray": lambda m: bytearray(b"abcd"),
    "memoryview": lambda m: memoryview(bytearray(b"abcdefgh")).cast("i"),
    "memory of an array": lambda m: memoryview(m.arange(4)),
    "ctypes": lambda m: (ctypes.c_float * 3)(1, 2, 3),
    "interface": lambda m: Interface(m.arange(3.0)),
    "map": lambda m: memoryview(mapped()),
}
TAKERS: dict[str, Any] = {
    "asarray": lambda m, x: m.asarray(x),
    "asanyarray": lambda m, x: m.asanyarray(x),
    "copy=None": lambda m, x: m.array(x, copy=None),
    "ascontiguousarray": lambda m, x: m.ascontiguousarray(x),
    "array": lambda m, x: m.array(x),
    "dtype": lambda m, x: m.asarray(x, dtype="c16"),
    "order": lambda m, x: m.asarray(x, order="F"),
}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
@pytest.mark.parametrize("lend", LENDERS.values(), ids=LENDERS)
def test_writes_reach_the_lender(lend: Any, take: Any) -> None:
    found = []
    for m in (np, hs):
        lender = lend(m)
        taken = take(m, lender)
        taken[0] = 7
        taken[1:] += taken[0]
        inside = lender[0], lender[1]
        lender_writes = not isinstance(lender, Interface)
        if lender_writes:
            lender[1] = 5
        found.append((inside, np.asarray(taken).tolist(), taken.dtype, taken.flags.writeable))
        del taken
    assert found[0] == found[1]


@pytest.mark.parametrize("lend", [memoryview, lambda b: memoryview(b).cast("i")])
def test_constant_memory(lend: Any) -> None:
    for m in (np, hs):
        taken = m.asarray(lend(b"abcdefgh"))
        assert not taken.flags.writeable
        assert taken.tolist() == np.asarray(lend(b"abcdefgh")).tolist()
        with pytest.raises(ValueError, match="read-only"):
            taken[0] = 1
    lazy = hs.asarray(lend(b"abcdefgh"))
    hs.reset_stats()
    (lazy + 1).tolist()
    assert not hs.stats()["eager"]


def test_lender_writes_are_seen() -> None:
    lender = array.array("d", [1, 2, 3])
    taken = hs.asarray(lender)
    later = taken * 2
    lender[0] = 10
    assert later.tolist() == [2, 4, 6]
    assert taken.tolist() == [10, 2, 3]


def test_what_is_pending_elsewhere_stays_so() -> None:
    x, elsewhere = hs.ones(1000), hs.ones(5000) * 2.0
    seen = np.asarray(x)
    elsewhere += 1.0
    hs.reset_stats()
    later = x * 3.0
    x += later
    seen[0] = 9.0
    assert hs.stats()["flushes"] == 0
    assert {name: row["count"] for name, row in hs.stats()["eager"].items()} == {
        "multiply": 1,
        "add": 1,
    }
    assert (later[0], x[0], seen[1]) == (3.0, 9.0, 4.0)
    x[1:] -= elsewhere[:999]  # that has to be there
    assert hs.stats()["flushes"] == 1
    assert seen[1] == 1.0


READERS = [
    np.asarray, np.array, memoryview, bytes, hs.array, str,
    lambda x: x.__array__(), lambda x: np.ones(3) + x, lambda x: np.concatenate([x, x]),
]  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("step", [1, 2])
def test_a_warning_that_raises_is_raised_by_who_reads(read: Any, step: int) -> None:
    """NumPy drops what is raised when it asks for a buffer, and asks in another way."""
    with raised_by_handler(), hs.config(eager_elements=0):
        x = (hs.ones(3 * step) / hs.zeros(3 * step))[::step]
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            str(read(x))
        assert np.asarray(x).tolist() == [np.inf] * 3
        assert memoryview(x)[0] == np.inf


@pytest.mark.parametrize("rows", [7, 100, 1000, 1723])
@pytest.mark.parametrize("columns", [1, 3, 4, 5])
def test_numpys_array_is_changed_in_place_by_rows(rows: int, columns: int) -> None:
    """Each operand shows the memory by a base of its own: a tile that is computed twice at the end
    of a row has to know that it reads what it writes."""
    start = np.arange(float(rows * columns)).reshape(rows, columns)
    factor = np.arange(float(rows)) + 2.0
    expected = start * factor[:, None]
    array = start.copy()
    array *= hs.array(factor)[:, None]
    assert np.array_equal(array, expected)
    array = start.copy()
    hs.multiply(array, hs.array(factor)[:, None], out=array)
    assert np.array_equal(array, expected)
    array = start.copy()
    hs.multiply(array, hs.array(factor)[:, None], out=array, where=array > rows)
    assert np.array_equal(array, np.where(start > rows, expected, start))


class Kept(np.ndarray):
    """Of NumPy's, on the memory of an array that it keeps, as quaternions are."""

    def __new__(cls, data: Any) -> Any:
        made = super().__new__(cls, data.shape, data.dtype, data)
        made.data_kept = data
        return made


@pytest.mark.parametrize("size", [3, 500, 50_000])
@pytest.mark.parametrize("make", [Kept, lambda x: np.ndarray(x.shape, x.dtype, x)])
def test_what_numpys_constructor_was_given_stays_shared(make: Any, size: int) -> None:
    """NumPy gives the buffer back before it returns, and goes on using the memory."""
    lender = hs.arange(float(size)) / 2
    taken = make(lender)
    part = lender[1:]
    lender[:] = hs.arange(float(size)) + 1
    assert (taken[0], taken[-1]) == (1, size)
    part *= 2
    assert (taken[0], taken[-1]) == (1, size * 2)
    taken += 1
    assert (lender[0], part[-1]) == (2, size * 2 + 1)
    del lender, part
    assert taken.sum() == size * (size + 1) - 1 + size


def test_what_numpys_constructor_was_given_is_let_go() -> None:
    def lent() -> Any:
        lender = hs.ones(1000) * 2
        for _ in range(3):
            np.ndarray(1000, "f8", lender)
        return lender

    lent()
    hs.flush()
    before = hs.stats()["bytes_held"]
    for _ in range(5):
        lent()
    hs.flush()
    assert hs.stats()["bytes_held"] == before
