"""Reductions along outer axes, several rows at a time, and along axes on both sides of a kept one:
the bits of one row after the other."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium

# Rows that fill register tiles and rows that do not, long and short; chunks of 256 rows and what is
# left of them.
SHAPES = [(2, 200), (9, 256), (257, 203), (600, 1000), (3, 7, 331), (5, 61, 5, 201)]
SHAPES += [(600, 100), (300, 64), (40, 63), (6, 50, 7), (3, 700, 12), (7, 20, 100)]
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
    for axes in (outer, 0, outer[::2], (0, len(shape) - 1)):
        with hassium.config(executor="reference"):
            wanted = reduced(x, axes)
        for threads in (1, 3):
            with hassium.config(parallelize="on", threads=threads):
                assert reduced(x, axes) == wanted, (axes, threads)


# Around every number of registers that a narrow row takes, on every level.
@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_every_small_width(dtype: str) -> None:
    generator = numpy.random.default_rng(5)
    for width in [*range(1, 36), 47, 48, 49, 63, 65, 127, 200, 513]:
        x = hassium.array((generator.random((270, width)) * 9 - 4).astype(dtype))
        views = {"plain": x, "few": x[:5], "spaced": x[::2], "made": x + x}

        def folded(axis: int, views: Any = views) -> list[bytes]:
            return [part for view in views.values() for part in reduced(view, axis)]

        for axis in (0, 1):
            with hassium.config(executor="reference"):
                wanted = folded(axis)
            for few in (0, 64):
                with hassium.config(eager_elements=few):
                    assert folded(axis) == wanted, (width, axis, few)


@pytest.mark.parametrize("width", [2, 3, 8, 11, 17])
def test_narrow_rows_raise_for_themselves_alone(width: int) -> None:
    x = numpy.ones((600, width))
    x[7, 0] = x[500, 0] = -8e307
    x[8, -1] = x[599, -1] = 8e307
    own = hassium.array(x)
    with hassium.errstate(all="raise"):
        numpy.testing.assert_array_equal(numpy.asarray(own.sum(axis=0)), x.sum(axis=0))
        numpy.testing.assert_array_equal(numpy.asarray(own.min(axis=0)), x.min(axis=0))
        x[9, -1] = own[9, -1] = 8e307
        with pytest.raises(FloatingPointError):
            numpy.asarray(own.sum(axis=0))


@pytest.mark.parametrize("rows", [1, 2, 8, 9, 17, 256])
def test_the_rows_of_one_chunk_are_added_in_order(rows: int) -> None:
    x = numpy.random.default_rng(rows).normal(size=(2 * rows, 301))
    own = hassium.array(x)
    for given, view in ((x[:rows], own[:rows]), (x[::2], own[::2])):
        wanted = given[0].copy()
        for k in range(1, rows):
            wanted = wanted + given[k]
        assert bits(hassium.sum(view, axis=0)) == bits(wanted)


# Rows longer than what a sweep takes of one, too.
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i8", "i4", "u1", "?"])
@pytest.mark.parametrize("shape", [(1, 300), (3, 200), (257, 203), (260, 4200), (2, 150, 331)])
def test_sums_of_what_a_block_computes(shape: tuple[int, ...], dtype: str) -> None:
    x = hassium.array(draw(shape, dtype))
    y = hassium.array(draw(shape, dtype)[..., ::-1].copy())

    def folded() -> list[bytes]:
        product, shown = x * y, x + y
        results = [product.sum(axis=0), shown.max(axis=0), shown.min(axis=0), (x * x).prod(axis=0)]
        results += [
            (x > y).sum(axis=0),
            shown.any(axis=0),
            (product * 2).sum(axis=0),
            x.sum(axis=0),
        ]
        return [bits(found) for found in (*results, product)]

    with hassium.errstate(all="ignore"):
        with hassium.config(executor="reference"):
            wanted = folded()
        for threads in (1, 3):
            for partitioner in ("greedy", "singleton"):
                with hassium.config(
                    parallelize="on", threads=threads, partitioner=partitioner, eager_elements=0
                ):
                    assert folded() == wanted, (threads, partitioner)


def test_sums_of_negative_zeros_are_zero_as_numpys() -> None:
    x = hassium.full((300, 500), 0.0)
    found = ((-x) * 1.0).sum(axis=0)
    assert bits(found) == bits(numpy.full((300, 500), -0.0).sum(axis=0)) == bits(numpy.zeros(500))
