"""Reductions along outer axes, several rows at a time: the bits of one row after the other."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium

# Rows that fill register tiles and rows that do not; chunks of 256 rows and what is left of them.
SHAPES = [(2, 200), (9, 256), (257, 203), (600, 1000), (3, 7, 331), (5, 61, 5, 201)]
DTYPES = ["f8", "f4", "f2", "c16", "i8", "u4", "i2", "u1", "?"]


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    generator = numpy.random.default_rng(len(shape))
    if dtype[0] in "iu?":
        return generator.integers(0, 100, shape).astype(dtype)
    x = generator.normal(size=shape).astype(dtype)
    if dtype[0] == "f":
        x[-1, ..., 3] = numpy.nan
        x[0, ..., 5] = -0.0
        x[..., 6] = -0.0
    return x


def bits(array: Any) -> bytes:
    return bytes(numpy.asarray(array).tobytes())


def reduced(x: Any, axes: Any) -> list[bytes]:
    return [
        bits(found)
        for found in (
            hassium.sum(x, axis=axes),
            hassium.max(x, axis=axes),
            hassium.min(x, axis=axes),
            hassium.any(x, axis=axes),
        )
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_bits_are_those_of_the_reference_executor(shape: tuple[int, ...], dtype: str) -> None:
    x = hassium.array(draw(shape, dtype))
    outer = tuple(range(len(shape) - 1))
    for axes in (outer, 0, outer[::2]):
        with hassium.config(executor="reference"):
            wanted = reduced(x, axes)
        for threads in (1, 3):
            with hassium.config(threads=threads):
                assert reduced(x, axes) == wanted, (axes, threads)


@pytest.mark.parametrize("rows", [1, 2, 8, 9, 17, 256])
def test_the_rows_of_one_chunk_are_added_in_order(rows: int) -> None:
    x = numpy.random.default_rng(rows).normal(size=(2 * rows, 301))
    own = hassium.array(x)
    for given, view in ((x[:rows], own[:rows]), (x[::2], own[::2])):
        wanted = given[0].copy()
        for k in range(1, rows):
            wanted = wanted + given[k]
        assert bits(hassium.sum(view, axis=0)) == bits(wanted)
