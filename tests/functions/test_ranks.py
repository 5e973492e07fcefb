"""Medians and quantiles: NumPy's bits, without its partition."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np
from hassium.functions import ranks

DTYPES = ["f8", "f4", "i8", "i4", "u1", "i2"]


def same(name: str, x: Any, *args: Any, native: bool = True, **kwargs: Any) -> None:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = getattr(numpy, name)(x, *args, **kwargs)
        before = np.stats()["fallbacks"].get(name, {"count": 0})["count"]
        result = getattr(np, name)(np.array(x), *args, **kwargs)
        found = numpy.asarray(result)
    asked = np.stats()["fallbacks"].get(name, {"count": 0})["count"] - before
    assert asked == 0 or not native
    assert (found.dtype, found.shape) == (numpy.asarray(expected).dtype, numpy.shape(expected))
    assert numpy.array_equal(found, expected, equal_nan=True)
    assert isinstance(result, np.ndarray) == isinstance(expected, numpy.ndarray)


def vectors(n: int) -> dict[str, Any]:
    r = numpy.random.default_rng(n)
    return {
        "normal": r.normal(size=n) * 100,
        "rising": numpy.arange(n) * 1.0,
        "equal": numpy.full(n, 7.0),
        "few values": r.integers(0, 4, n) * 1.0,
        "periods": numpy.arange(n)[::-1] % 1000 * 1.0,
        "one apart": numpy.where(numpy.arange(n) == 17, 1e9, 3.0),
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [20_000, 50_001])
@pytest.mark.parametrize("kind", vectors(3))
def test_long_lines(kind: str, n: int, dtype: str) -> None:
    with numpy.errstate(invalid="ignore"):
        x = vectors(n)[kind].astype(dtype)
    same("median", x)
    same("median", x[::-2] if n > 40_000 else x, keepdims=True)
    for q in (0, 50, 33.3, [0, 5, 50, 95, 100], [[25, 75.5]], numpy.float64(99.9), (100,)):
        same("percentile", x, q)
    same("quantile", x.reshape(-1, 1), 1.0)
    same("quantile", x, [0.5, 0.25])
    same("nanmedian", x, native=dtype[0] == "f")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 9, 16, 25, 32])
def test_short_lines(length: int, dtype: str) -> None:
    r = numpy.random.default_rng(length)
    lines = max(600, 10_000 // length + 1)
    x = (r.integers(0, 200, (lines, length)) * 0.5).astype(dtype)
    if dtype[0] == "f":
        x[3, length // 2], x[5], x[6, 0] = numpy.nan, numpy.inf, -numpy.inf
    for array, axis in ((x, 1), (x.T, 0), (x[::-1], -1)):
        for keepdims in (False, True):
            same("median", array, axis=axis, keepdims=keepdims)
            same("percentile", array, [10, 50, 90], axis=axis, keepdims=keepdims)
            same("quantile", array, 0.25, axis, keepdims=keepdims)


def test_several_axes_and_windows() -> None:
    x = numpy.random.default_rng(2).normal(size=(60, 70, 3, 3))
    same("median", x, axis=(2, 3))
    same("median", x, axis=(-1, 2), keepdims=True)
    same("percentile", x, [1, 99], axis=(3, 2), keepdims=True)
    windows = numpy.lib.stride_tricks.sliding_window_view(x[..., 0, 0], (5, 5))
    same("median", windows, axis=(2, 3))


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8", "i8"])
def test_one_long_line_among_axes_that_are_kept(dtype: str) -> None:
    x = (numpy.arange(60_000) % 100).astype(dtype)
    cases: list[tuple[Any, Any]] = [((1, -1), 1), ((1, 2, -1), (1, 2)), ((2, -1, 1), (0, 1))]
    for shape, axis in cases:
        for keepdims in (False, True):
            same("median", x.reshape(shape), axis=axis, keepdims=keepdims)
            same("median", x[:-1].reshape(-1, 1), axis=0, keepdims=keepdims)
            same("percentile", x.reshape(shape), 50, axis=axis, keepdims=keepdims)
            same("quantile", x.reshape(shape), [0.1, 0.99], axis, keepdims=keepdims)


def test_what_is_numpys() -> None:
    r = numpy.random.default_rng(2)
    x = r.normal(size=30_000)
    holes = numpy.where(r.random(30_000) < 0.1, numpy.nan, x)
    same("median", holes, native=False)
    same("percentile", holes, [3, 50], native=False)
    same("nanmedian", holes)
    same("nanmedian", holes.reshape(300, 100), axis=1, native=False)
    same("median", x[:50], native=False)
    same("quantile", x, numpy.linspace(0, 1, 50), native=False)
    same("quantile", x, 0.3, method="nearest", native=False)
    same("median", x.astype("f2"), native=False)
    endless = numpy.where(numpy.arange(30_000) < 20_000, numpy.inf, x)
    same("median", endless)
    same("percentile", endless, [10, 90])
    out = np.zeros(())
    assert np.median(np.array(x), out=out) is out
    for q in (-1, 101, numpy.nan):
        with pytest.raises(ValueError, match="Percentiles must be in the range"):
            np.percentile(np.array(x), q)
    with pytest.raises(numpy.exceptions.AxisError):
        np.median(np.array(x), axis=1)


@pytest.mark.parametrize("length", range(1, 9))
def test_networks_sort(length: int) -> None:
    """Zeros and ones are enough to tell: Knuth, The Art of Computer Programming, 5.3.4."""
    for rank in range(length):
        pairs = ranks.network(length, (rank,))
        for line in itertools.product((0, 1), repeat=length):
            x = list(line)
            for low, high in pairs:
                x[low], x[high] = min(x[low], x[high]), max(x[low], x[high])
            assert x[rank] == sorted(line)[rank]
