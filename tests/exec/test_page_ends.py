"""Views that begin or end with a page: kernels touch nothing of the pages beside it."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium

pytestmark = pytest.mark.usefixtures("simd_level")

PAGE = mmap.PAGESIZE


def between_guards(pages: int) -> Iterator[numpy.ndarray]:
    """Yields pages of bytes between pages that cannot be read."""
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    readable = mmap.PROT_READ | mmap.PROT_WRITE
    for beside in (0, (pages + 1) * PAGE):
        assert protect(begin + beside, PAGE, 0) == 0
    yield numpy.frombuffer(memory, numpy.uint8)[PAGE : (pages + 1) * PAGE]
    for beside in (0, (pages + 1) * PAGE):
        assert protect(begin + beside, PAGE, readable) == 0


@pytest.fixture(scope="module")
def page() -> Iterator[numpy.ndarray]:
    yield from between_guards(2)


@pytest.fixture(scope="module")
def many_pages() -> Iterator[numpy.ndarray]:
    yield from between_guards(64)


VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x[::2] + x[::2] * 2,
    lambda x: x[:-2:2] + x[2::2],
    lambda x: x[1:-2:2] + x[3::2] * x[1:-2:2],
    lambda x: x[::-1] * 3 - x,
    lambda x: x[:-1] + x[1:],
    lambda x: x[::3] + 1,
    lambda x: x / 3 + x[0],
]


def change(x: Any) -> None:
    x[::2] = x[::2] + 1
    x[::-1] += 2
    x[1::3] *= 3


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
@pytest.mark.parametrize("left", range(10))
def test_nothing_beside_a_page_is_touched(page: numpy.ndarray, dtype: str, left: int) -> None:
    full = page.view(dtype)
    for right in (0, 2, 4, 10):
        full[:] = numpy.arange(full.size) % 1000
        own = full[left : full.size - right - left % 2]
        shared = hassium.asarray(own, copy=False)
        for view in VIEWS:
            numpy.testing.assert_array_equal(numpy.asarray(view(shared)), view(own))
        expected = own.copy()
        change(expected)
        change(shared)
        hassium.flush()
        numpy.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "u1", "c16"])
@pytest.mark.parametrize("width", [1, 2, 3, 5, 7])
def test_accumulations_touch_nothing_beside_a_page(
    page: numpy.ndarray, dtype: str, width: int
) -> None:
    full = page.view(dtype)
    full[:] = numpy.arange(full.size) % 3
    rows = full.size // width
    for own in (full[: rows * width], full[full.size - rows * width :]):
        table = own.reshape(rows, width)
        shared = hassium.asarray(table, copy=False)
        expected = [numpy.maximum.accumulate(table, axis=k) for k in (0, 1)]
        expected.append(numpy.cumsum(table))
        results = [hassium.maximum.accumulate(shared, axis=k) for k in (0, 1)]
        results.append(hassium.cumsum(shared))
        for result, wanted in zip(results, expected, strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(result), wanted)
        hassium.maximum.accumulate(shared, axis=0, out=shared)
        hassium.flush()
        numpy.testing.assert_array_equal(table, expected[0])


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("share", [0, 0.02, 0.5, 0.95, 1])
def test_masks_touch_nothing_beside_a_page(page: numpy.ndarray, dtype: str, share: float) -> None:
    full = page.view(dtype)
    for left, right in ((0, 0), (3, 0), (0, 5), (full.size - 70, 0), (0, full.size - 131)):
        full[:] = numpy.arange(full.size) % 100
        own = full[left : full.size - right]
        chosen = numpy.random.default_rng(left + right).random(own.size) < share
        shared, mask = hassium.asarray(own, copy=False), hassium.array(chosen)
        hassium.flush()
        for step in (1, -1, 2, 3):
            found = shared[::step][mask[::step].copy()]
            numpy.testing.assert_array_equal(numpy.asarray(found), own[::step][chosen[::step]])
        expected = own.copy()
        expected[chosen] = numpy.arange(chosen.sum()) % 7
        shared[mask] = hassium.array((numpy.arange(chosen.sum()) % 7).astype(dtype))
        hassium.flush()
        numpy.testing.assert_array_equal(own, expected)
        expected[chosen] = 9
        shared[mask] = 9
        hassium.flush()
        numpy.testing.assert_array_equal(own, expected)


def test_bools_at_the_ends_of_a_page(page: numpy.ndarray) -> None:
    full = page.view(bool)
    for share in (0, 0.02, 0.5, 1):
        for left, right in ((0, 0), (5, 0), (0, 9), (full.size - 40, 0), (full.size - 200, 1)):
            full[:] = numpy.random.default_rng(left).random(full.size) < share
            own = full[left : full.size - right]
            shared, x = hassium.asarray(own, copy=False), hassium.arange(own.size)
            hassium.flush()
            (expected,) = own.nonzero()
            numpy.testing.assert_array_equal(numpy.asarray(hassium.nonzero(shared)[0]), expected)
            numpy.testing.assert_array_equal(numpy.asarray(x[shared]), expected)
            assert hassium.count_nonzero(shared) == expected.size


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers_at_the_ends_of_a_page(page: numpy.ndarray, dtype: str) -> None:
    full = page.view(dtype)
    for left, right in ((0, 0), (1, 0), (0, 3), (full.size - 5, 0), (2, 33)):
        full[:] = numpy.arange(full.size) % 50 * (1 - 2j)
        own = full[left : full.size - right]
        first, turned = own.copy(), own[::-1].copy()
        shared, other = hassium.asarray(own, copy=False), hassium.array(turned)
        result = (-((shared + other) - shared) * shared)[::2] + shared[::2]
        wanted = (-((first + turned) - first) * first)[::2] + first[::2]
        numpy.testing.assert_array_equal(numpy.asarray(result), wanted)
        shared += other
        hassium.flush()
        numpy.testing.assert_array_equal(own, first + turned)
        shared -= other
        shared *= shared
        hassium.flush()
        numpy.testing.assert_array_equal(own, first * first)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "u1", "c16"])
@pytest.mark.parametrize("width", [1, 3, 4, 5, 8, 9, 17, 33])
def test_rows_of_a_page_are_moved_alone(page: numpy.ndarray, dtype: str, width: int) -> None:
    """Two joined operations, casts, turns, takes, repeats, positions and masked writes."""
    full = page.view(dtype)
    for count in (1, 2, 4, 7, 9):
        full[:] = numpy.arange(full.size) % 100
        size = count * width
        for own in (full[:size], full[full.size - size :]):
            table = own.reshape(count, width)
            shared = hassium.asarray(table, copy=False)
            picked = numpy.arange(width)[::-2].copy()
            mask = table % 2 == 0 if dtype != "c16" else table.real < 50
            found = [
                *(hassium.transpose(shared).copy(), shared[:, ::-1].copy(), shared * 2 + shared),
                *(shared.astype("f4"), hassium.repeat(shared, 2, axis=1), shared.argmax(axis=0)),
                *(shared.argmax(), hassium.take(shared, hassium.array(picked), axis=1)),
                shared[hassium.array(mask)],
            ]
            wanted = [
                *(table.T.copy(), table[:, ::-1].copy(), table * 2 + table),
                *(table.astype("f4"), numpy.repeat(table, 2, axis=1), table.argmax(axis=0)),
                *(table.argmax(), numpy.take(table, picked, axis=1), table[mask]),
            ]
            for ours, numpys in zip(found, wanted, strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(ours), numpys)
            expected = table.copy()
            expected -= expected[:, :1] * expected[0]
            shared -= shared[:, :1] * shared[0]
            hassium.flush()
            numpy.testing.assert_array_equal(table, expected)
            expected[mask] = 3
            shared[hassium.array(mask)] = 3
            hassium.flush()
            numpy.testing.assert_array_equal(table, expected)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
def test_transposed_operands_touch_nothing_beside_a_page(
    many_pages: numpy.ndarray, dtype: str
) -> None:
    full = many_pages.view(dtype)
    full[:] = numpy.arange(full.size) % 251
    columns = 128  # of the sum, whose lines share sets of the caches: they are read in panels
    rows = full.size // columns
    whole = full.reshape(columns, rows)
    for part in (whole, whole[:, 3:], whole[:, : rows - 3], whole[:, 5 : 5 + rows // 2]):
        for own in (part.T, part.T[::-1], part[::-1].T):
            other = numpy.arange(own.size).reshape(own.shape).astype(dtype)
            shared = hassium.asarray(own, copy=False)
            found = numpy.asarray(shared + hassium.array(other))
            numpy.testing.assert_array_equal(found, own + other)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
@pytest.mark.parametrize("shift", [1, 4, 7])
def test_elements_that_are_not_aligned(page: numpy.ndarray, dtype: str, shift: int) -> None:
    size = page.size - 64
    for begin in (shift, page.size - size - shift):
        own = page[begin : begin + size].view(dtype)
        own[:] = numpy.arange(own.size) % 100
        shared = hassium.asarray(own, copy=False)
        assert numpy.asarray(shared).flags.aligned == own.flags.aligned
        for view in VIEWS:
            numpy.testing.assert_array_equal(numpy.asarray(view(shared)), view(own))
        rows, shared_rows = (x[: x.size // 8 * 8].reshape(-1, 8) for x in (own, shared))
        for first in (0, 1):
            found = numpy.asarray(shared_rows[:, first::2] + 3)
            numpy.testing.assert_array_equal(found, rows[:, first::2] + 3)
        expected = own.copy()
        change(expected)
        change(shared)
        hassium.flush()
        numpy.testing.assert_array_equal(own, expected)
