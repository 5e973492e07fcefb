"""Copies between layouts: every element lands where NumPy puts it."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy
import pytest

import hassium

DTYPES = ["?", "i2", "f4", "f8", "c16"]


def numbered(dtype: str, *shape: int) -> Any:
    return (numpy.arange(numpy.prod(shape)) * 37 % 251).reshape(shape).astype(dtype)


def same(own: Any, wanted: Any) -> bool:
    own = numpy.asarray(own)
    return bool(own.shape == wanted.shape and own.tobytes() == wanted.tobytes())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [7, 8, 9, 16, 65, 130])
@pytest.mark.parametrize("rows", [1, 8, 15, 64, 131])
def test_matrices(rows: int, columns: int, dtype: str) -> None:
    x = numbered(dtype, rows, columns)
    assert same(hassium.array(x).T.copy(), x.T.copy())


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("dtype", ["u1", "f8"])
def test_orders_of_axes(order: tuple[int, ...], dtype: str) -> None:
    x = numbered(dtype, 19, 33, 40)
    own = hassium.ascontiguousarray(hassium.transpose(hassium.array(x), order))
    assert same(own, numpy.ascontiguousarray(numpy.transpose(x, order)))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_and_parts(threads: int) -> None:
    x = numbered("f8", 700, 500)
    own = hassium.zeros((600, 800))
    wanted = numpy.zeros((600, 800))
    with hassium.config(parallelize="on", threads=threads):
        own[50:550, 20:720] = hassium.array(x).T
        wanted[50:550, 20:720] = x.T
        assert same(own, wanted)
        own[::2, 3:703:2] = hassium.array(x)[:350, :300].T
        wanted[::2, 3:703:2] = x[:350, :300].T
        assert same(own, wanted)
        own[:300, :350] = hassium.array(x)[349::-1, 299::-1].T
        wanted[:300, :350] = x[349::-1, 299::-1].T
        assert same(own, wanted)


def test_an_array_onto_its_own_transpose() -> None:
    x = numbered("f8", 90, 90)
    own = hassium.array(x)
    own[:] = own.T
    x[:] = x.T.copy()
    assert same(own, x)


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("rows", [3, 8, 13, 64, 100])
def test_turned_operands(rows: int, dtype: str) -> None:
    """Columns of memory whose rows lie multiples of 2 KiB apart, in sums with rows."""
    columns = 2048 // numpy.dtype(dtype).itemsize
    x, y = numbered(dtype, 300, columns), numbered(dtype, rows, 300)
    own, other = hassium.array(x), hassium.array(y)
    for begin in (0, 1, 5):
        part = x[:, begin : begin + rows].T
        for threads in (1, 3):
            with hassium.config(parallelize="on", threads=threads):
                turned = own[:, begin : begin + rows].T
                assert same(turned + other, part + y)
                assert same((turned + other).max(axis=1), (part + y).max(axis=1))
                back = own[::-1, begin : begin + rows].T
                assert same(back + other, x[::-1, begin : begin + rows].T + y)


def test_turned_operands_of_more_axes() -> None:
    x, y = numbered("f8", 5, 40, 256), numbered("f8", 5, 256, 40)
    own, other = hassium.array(x), hassium.array(y)
    assert same(own.transpose(0, 2, 1) * 2.0 + other, x.transpose(0, 2, 1) * 2.0 + y)
    assert same(own.transpose(2, 0, 1)[:, :, ::2] + 1.0, x.transpose(2, 0, 1)[:, :, ::2] + 1.0)


def test_a_turned_operand_that_is_overwritten() -> None:
    x = numbered("f8", 256, 256)
    own = hassium.array(x)
    for _ in range(3):
        own += own.T
        x += x.T.copy()
        own[:, 1:] = own.T[:, 1:] * 0.5 + own[:, :-1]
        x[:, 1:] = x.T[:, 1:] * 0.5 + x[:, :-1].copy()
    assert same(own, x)


SHAPES = [
    (300, 280),
    (280, 300),
    (40, 60, 50),
    (64, 64, 64),
    (9, 70, 130),
    (130, 9, 70),
    (70, 130, 9),
    (4, 33, 20, 48),
    (16, 4, 48, 33),
    (12, 20, 1000),  # the inner axes of some operands merge to rows too long for a panel
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_operands_in_all_orders(shape: tuple[int, ...], dtype: str) -> None:
    """Operands whose rows are adjacent along any axis; with gaps and reversed axes as well."""
    x = numbered(dtype, *shape)
    own_x = hassium.array(x)
    for order in permutations(range(len(shape))):
        stored = [0] * len(shape)
        for axis, place in enumerate(order):
            stored[place] = shape[axis]
        gaps = tuple(slice(None, None, (1, -1, 2)[k % 3]) for k in order)
        y = numbered(dtype, *(2 * extent for extent in stored))
        own_y = hassium.array(y)
        packed, spread = tuple(map(slice, stored)), y[gaps][tuple(map(slice, stored))]
        own_spread = own_y[gaps][tuple(map(slice, stored))]
        for part, own_part in ((y[packed].copy(), own_y[packed].copy()), (spread, own_spread)):
            z, own_z = part.transpose(order), own_part.transpose(order)
            assert same(own_x + own_z, x + z)
            assert same(hassium.where(own_z > own_x, own_z, own_x), numpy.where(z > x, z, x))
            out, own_out = x.copy(), own_x.copy()
            out[...] = x * z
            own_out[...] = own_x * own_z
            assert same(own_out, out)


@pytest.mark.parametrize("threads", [1, 3])
def test_transposed_operands_of_loops(threads: int) -> None:
    """The loop's blocks are planned for one size and bound to the others."""
    for rows in (2, 5, 8, 9, 64, 70, 300, 301, 320, 64):
        x, y = numbered("f8", 40, 300, rows), numbered("f8", rows, 300, 40)
        with hassium.config(parallelize="on", threads=threads):
            own = hassium.array(x) * 2.0 + hassium.array(y).transpose(2, 1, 0)
            assert same(own, x * 2.0 + y.transpose(2, 1, 0))
            own = hassium.array(y).transpose(2, 0, 1) - hassium.array(x).transpose(0, 2, 1)
            assert same(own, y.transpose(2, 0, 1) - x.transpose(0, 2, 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotated_operands(dtype: str) -> None:
    """Their rows are adjacent backwards in memory."""
    for shape in ((300, 300), (68, 260), (40, 60, 50), (8, 90, 70)):
        x = numbered(dtype, *shape)
        own = hassium.array(x)
        for quarters in (1, 2, 3):
            rotated, own_rotated = numpy.rot90(x, quarters), hassium.rot90(own, quarters)
            y = numbered(dtype, *rotated.shape)
            assert same(own_rotated + hassium.array(y), rotated + y)
            assert same(own_rotated[::2] * hassium.array(y)[1::2], rotated[::2] * y[1::2])


def test_long_rows() -> None:
    x, y = numbered("f8", 9000, 20), numbered("f8", 20, 9000)
    for n in (16, 8190, 9000):
        own = hassium.array(y)[:, :n] + hassium.array(x)[:n].T
        assert same(own, y[:, :n] + x[:n].T)
