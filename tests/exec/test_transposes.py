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
