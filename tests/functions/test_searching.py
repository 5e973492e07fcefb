"""searchsorted, digitize and interp of arrays, held against NumPy."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
SIZES = [0, 1, 2, 15, 16, 17, 300, 9000]


def drawn(seed: int, n: int, dtype: str, most: int = 120) -> Any:
    draw = numpy.random.default_rng(seed)
    low = -most if numpy.dtype(dtype).kind in "if" else 0
    return draw.integers(low, most, n).astype(dtype)


def same(found: Any, wanted: Any) -> None:
    given = numpy.asarray(found)
    assert given.dtype == wanted.dtype
    assert given.shape == wanted.shape
    assert given.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(dtype: str, n: int, side: Any) -> None:
    vector = numpy.sort(drawn(1, n, dtype))
    ours = np.array(vector)
    for count in SIZES:
        for other in (dtype, "f8", "i4"):
            values = drawn(2, count, other)
            for v in (values, numpy.sort(values), values[::-2], values.reshape(-1, 1)):
                held = np.array(v)
                same(np.searchsorted(ours, held, side), numpy.searchsorted(vector, v, side))
        same(ours.searchsorted(np.array(values), side=side), vector.searchsorted(values, side=side))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_numbers_that_are_none_come_last(dtype: str, side: Any) -> None:
    odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0], dtype)
    vector = numpy.sort(numpy.concatenate([drawn(3, 400, dtype), odd, odd]))
    values = numpy.concatenate([drawn(4, 500, dtype), odd, drawn(5, 90, dtype), odd])
    for v in (values, numpy.sort(values), odd[:1]):
        for a in (vector, odd[:0], odd[:1]):
            same(np.searchsorted(np.array(a), np.array(v), side), numpy.searchsorted(a, v, side))


def test_pending_values_and_views() -> None:
    np.reset_stats()
    x = np.arange(3000.0) * 2.0
    found = np.searchsorted(x[::3], x[::-1] + 1.0)
    y = numpy.arange(3000.0) * 2.0
    same(found, numpy.searchsorted(y[::3], y[::-1] + 1.0))
    assert np.stats()["fallbacks"].get("searchsorted") is None


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("edges", [[0, 5, 5, 60], [60, 3, -5], [2], [], [7, 7]])
def test_digitize(edges: list[int], right: bool) -> None:
    for dtype in ("i4", "f8", "u1"):
        x = drawn(6, 700, dtype).reshape(7, 100)
        bins = numpy.array(edges, "f8")
        same(np.digitize(np.array(x), edges, right), numpy.digitize(x, bins, right))
        same(np.digitize(np.array(x), np.array(bins), right), numpy.digitize(x, bins, right))


def test_what_digitize_refuses() -> None:
    x = np.arange(5.0)
    with pytest.raises(ValueError, match="monotonically"):
        np.digitize(x, [0.0, 2.0, 1.0])
    with pytest.raises(TypeError):
        np.digitize(x + 1j, [0.0, 1.0])


INTERPOLATIONS: dict[str, Callable[..., Any]] = {
    "plain": lambda m, x, xp, fp: m.interp(x, xp, fp),
    "ends": lambda m, x, xp, fp: m.interp(x, xp, fp, left=-7, right=numpy.inf),
    "left": lambda m, x, xp, fp: m.interp(x, xp, fp, numpy.nan),
    "period": lambda m, x, xp, fp: m.interp(x, xp, fp, period=50.0),
    "falling": lambda m, x, xp, fp: m.interp(x, xp[::-1], fp),
    "complex": lambda m, x, xp, fp: m.interp(x, xp, fp + 0j),
    "one": lambda m, x, xp, fp: m.interp(x, xp[:1], fp[:1]),
    "matrix": lambda m, x, xp, fp: m.interp(x[:60].reshape(6, 10), xp, fp),
}


@pytest.mark.parametrize("n", [2, 3, 5, 90, 4000])
@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_interp(name: str, n: int) -> None:
    draw = numpy.random.default_rng(7)
    xp = numpy.sort(draw.uniform(-100, 100, n))
    xp[n // 2 :: 5] = xp[n // 2]  # jumps
    xp.sort()
    fp = draw.normal(size=n)
    fp[n // 3] = numpy.inf
    x = numpy.concatenate([draw.uniform(-120, 120, 2500), xp, [numpy.nan, numpy.inf, -numpy.inf]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for at in (x, numpy.sort(x), x[:5]):
            if name == "matrix" and at.size < 60:
                continue
            if name == "period":
                at = at[numpy.isfinite(at)]
            wanted = INTERPOLATIONS[name](numpy, at, xp, fp)
            found = INTERPOLATIONS[name](np, np.array(at), np.array(xp), np.array(fp))
            same(found, wanted)


def test_interp_takes_lists_of_points_and_refuses_what_numpy_refuses() -> None:
    x = np.arange(6)
    same(np.interp(x, [0, 3, 4], [1, 2, 0]), numpy.interp(numpy.arange(6), [0, 3, 4], [1, 2, 0]))
    for xp, fp in (([], []), ([0, 1], [0, 1, 2]), ([[0, 1]], [0, 1])):
        with pytest.raises(ValueError, match=r"empty|length|number of dim|too deep") as expected:
            numpy.interp(numpy.arange(6), xp, fp)
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            np.interp(x, xp, fp)
