"""Reductions over few lines of few elements are split: the bits of one after the other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium
from simd_levels import LEVELS

# The reduced axis is the second. Some are too long, or hold too few elements, to go by lines.
SHAPES = [(700, 2, 2), (400, 3, 3), (301, 16, 5), (301, 17, 5), (99, 3, 31), (99, 3, 32), (9, 3, 3)]
SHAPES += [(60, 7, 3, 4), (40, 5, 3, 20)]
DTYPES = ["f8", "f4", "f2", "c16", "c8", "i8", "i4", "u1", "?"]
METHODS = ["sum", "prod", "max", "min", "any", "mean"]


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    generator = numpy.random.default_rng(sum(shape))
    if dtype[0] in "iu?":
        return generator.integers(0, 3, shape).astype(dtype)
    x = generator.normal(size=shape)
    x[-1, ..., 1], x[1:2], x[2:3, 0] = numpy.nan, -0.0, -0.0
    return x.astype(dtype)


def lies(x: Any) -> list[tuple[Any, int]]:
    """The array in several orders of memory, and where its second axis is."""
    return [
        (x, 1),
        (x[::-1, :, ::2], 1),
        (x.transpose(1, 0, *range(2, x.ndim)), 0),
        (numpy.ascontiguousarray(numpy.moveaxis(x, 1, -1)), x.ndim - 1),
        (numpy.broadcast_to(x[:, :1], x.shape), 1),
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_reductions_by_lines(shape: tuple[int, ...], dtype: str) -> None:
    for x, axis in lies(draw(shape, dtype)):
        ours = hassium.asarray(x)
        for method in METHODS:
            for keepdims in (False, True):
                with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    expected = getattr(x, method)(axis=axis, keepdims=keepdims)
                    found = numpy.asarray(getattr(ours, method)(axis=axis, keepdims=keepdims))
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                # Last bits of products of complex numbers may differ, and sums along rows.
                if dtype[0] == "c" or axis != 1 or dtype == "f2":
                    assert numpy.allclose(found, expected, rtol=1e-2, atol=1e-2, equal_nan=True)
                else:
                    assert numpy.array_equal(found, expected, equal_nan=True), (method, axis)


# The reduced axes are the second and the last, or the fourth, inside which few elements are kept.
ROWS = [(3, 2, 5, 8, 2), (2, 40, 8, 1, 2)]
BLOCKS = [(20, 2, 40, 2), (7, 3, 64, 3), (5, 4, 33, 5), (9, 16, 32, 8), (6, 17, 40, 2)]
BLOCKS += [(6, 4, 31, 2), *ROWS, (6, 2, 9, 2, 3), (5, 3, 8, 4, 2), (4, 1, 6, 8, 2), (3, 4, 5, 5, 3)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", BLOCKS)
def test_blocks_of_a_matrix(shape: tuple[int, ...], dtype: str) -> None:
    """The bits of the reduction tree, which the other setting has."""
    x = draw(shape, dtype)
    reduced = (1, x.ndim - 1 if x.ndim == 4 or shape in ROWS else 3)
    for order in (range(x.ndim), range(x.ndim)[::-1], (1, 0, *range(2, x.ndim))):
        axes = tuple(list(order).index(axis) for axis in reduced)
        ours = hassium.asarray(x).transpose(tuple(order))
        for method in METHODS:
            found = []
            for word in ("off", "on"):
                with hassium.config(split_reductions=word), numpy.errstate(all="ignore"):
                    result = numpy.asarray(getattr(ours, method)(axis=axes))
                    found.append((result.dtype, result.shape, result.tobytes()))
            assert found[0] == found[1], method
        largest = numpy.asarray(ours.max(axis=axes))
        wanted = x.transpose(tuple(order)).max(axis=axes)
        assert numpy.array_equal(largest, wanted, equal_nan=dtype[0] in "fc")


def test_the_bits_do_not_depend_on_how_it_runs() -> None:
    x = hassium.asarray(draw((500, 5, 3), "f8"))

    def found() -> bytes:
        y = x * 1.5
        sums = y.sum(axis=1) + (x - y.mean(axis=1, keepdims=True)).max(axis=1)
        return bytes(numpy.asarray(sums).tobytes())

    usual = found()
    for setting in (
        {"executor": "reference"},
        {"lazy": False},
        *({"split_reductions": word} for word in ("off", "on")),
        {"partitioner": "singleton"},
        {"threads": 3, "parallelize": "on"},
        *({"simd": level} for level in LEVELS),
    ):
        with hassium.config(**setting):
            assert found() == usual, setting


@pytest.mark.parametrize("method", ["sum", "max"])
def test_they_are_split_into_maps(method: str, cold_cache: None) -> None:
    x = hassium.ones((400, 3, 3))
    hassium.flush()
    with hassium.debug.capture() as flushes:
        total = getattr(x, method)(axis=1)
        assert numpy.asarray(total).tolist() == getattr(numpy.asarray(x), method)(axis=1).tolist()
    (program,) = (flush.program for flush in flushes)
    lines = [line for line in str(program).splitlines() if not line.startswith(("base", "del"))]
    row = {"sum": "add", "max": "maximum"}[method]
    # A sum begins with zero.
    assert [line.split()[0] for line in lines] == [row] * (3 if method == "sum" else 2)


def test_outputs_that_overlap() -> None:
    ours, theirs = hassium.zeros((400, 4, 3)), numpy.zeros((400, 4, 3))
    for x in (ours, theirs):
        x[...] = 1.5
        x[:, 0] = 2.0
        x.sum(axis=1, out=x[:, 2])
        x[::-1].max(axis=1, out=x[:, 1])
        blocks = x.reshape(10, 40, 3, 4)
        blocks.sum(axis=(0, 3), out=blocks[5, ..., 2])
    assert numpy.array_equal(numpy.asarray(ours), theirs)


def test_warnings_are_those_of_reductions() -> None:
    x = numpy.full((400, 3, 3), 1e308)
    for array in (x, hassium.asarray(x)):
        with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
            numpy.asarray(array.sum(axis=1))
        with numpy.errstate(over="raise"), pytest.raises(FloatingPointError, match="reduce"):
            numpy.asarray(array.sum(axis=1))
