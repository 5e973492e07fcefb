"""Products of inexact numbers multiply one after the other, as NumPy's do: another order would
leave the range where that does not."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np

SETTINGS: list[dict[str, Any]] = [
    {},
    {"eager_elements": 0},
    {"eager_elements": 0, "threads": 2},
    {"eager_elements": 0, "partitioner": "singleton"},
    {"executor": "reference"},
]
SHAPES = [(8,), (31,), (1000,), (5000,), (1000, 8), (40, 33), (3, 1200), (1200, 3), (30, 5, 7)]


def layouts(np: Any, x: Any) -> list[Any]:
    x = np.array(x)
    return [x, x.T, x[::-1], x[..., ::2], x[..., 1:]]


def axes_of(rank: int) -> list[Any]:
    """Those that NumPy takes in one go: none with another one in between."""
    pairs = [pair for pair in itertools.combinations(range(rank), 2) if pair != (0, 2)]
    return [None, *range(rank), *pairs]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_bits(dtype: str, settings: dict[str, Any]) -> None:
    r = numpy.random.default_rng(0)
    with np.config(**settings), numpy.errstate(all="ignore"):
        for shape in SHAPES:
            x = (r.random(shape) * 1.2 + 0.5).astype(dtype)
            for ours, theirs in zip(layouts(np, x), layouts(numpy, x), strict=True):
                for axis in axes_of(x.ndim):
                    wanted = theirs.prod(axis=axis)
                    made = (ours * 2) / 2  # by the block
                    for found in (ours.prod(axis=axis), made.prod(axis=axis)):
                        assert numpy.asarray(found).tobytes() == wanted.tobytes(), (shape, axis)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16"])
def test_the_range_is_left_where_numpys_products_leave_it(
    dtype: str, settings: dict[str, Any]
) -> None:
    # Products of four are beyond the range of the accumulator.
    huge = {"f8": 1e90, "f4": 1e12, "f2": 6e4, "c16": 1e90}[dtype]
    small = 1 / huge
    cases = [
        [huge, small] * 600,
        [huge] * 40 + [small] * 40,
        [small] * 40 + [huge] * 40,
        [0.0] + [huge] * 999,
        [huge] * 999 + [0.0],
        [huge, huge, small, small] * 9,
    ]
    with np.config(**settings), numpy.errstate(all="ignore"):
        for case in cases:
            x = numpy.array(case, dtype)
            for axis, shape in ((0, (-1,)), (1, (1, -1)), (0, (-1, 1)), (None, (2, -1))):
                wanted = x.reshape(shape).prod(axis=axis)
                found = np.array(x).reshape(shape).prod(axis=axis)
                assert numpy.array_equal(numpy.asarray(found), wanted, equal_nan=True), case[:3]
            rows = np.array(numpy.tile(x, (50, 1)))
            assert numpy.array_equal(
                numpy.asarray((rows + 0).prod(axis=1)), [wanted] * 50, equal_nan=True
            )


def test_nothing_is_told_where_numpy_tells_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(np.prod(np.array([1e300, 1e-300] * 4))) == 1.0
        assert float(np.nanprod(np.array([1e300, 1e-300, numpy.nan] * 40))) == 1.0


def test_the_last_of_the_running_products() -> None:
    x = np.array(numpy.random.default_rng(3).random(3000) * 2)
    assert float(x.prod()) == float(x.cumprod()[-1])
