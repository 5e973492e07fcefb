"""argmin and argmax of contiguous lines: every length around those of registers and blocks.

And of max and min, which nan or zero it is.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium

LENGTHS = [1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 63, 64, 65, 100, 127, 255, 257, 300, 513, 1030, 4099]
DTYPES = ["float64", "float32", "int64", "uint64", "int32", "uint16", "int8", "uint8"]


pytestmark = pytest.mark.usefixtures("simd_level")


def compare(x: Any) -> None:
    ours = hassium.array(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("argmax", "argmin"):
            found = numpy.asarray(getattr(ours, name)(axis=1))
            numpy.testing.assert_array_equal(found, getattr(x, name)(axis=1))
            assert int(getattr(ours, name)()) == getattr(x, name)()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lines(n: int, dtype: str) -> None:
    rng = numpy.random.default_rng(n)
    t = numpy.dtype(dtype)
    if t.kind == "f":
        compare(rng.uniform(-5, 5, (40, n)).astype(t))
    else:
        info = numpy.iinfo(t)
        compare(rng.integers(info.min, info.max, (40, n), t, endpoint=True))
    compare(rng.integers(0, 3, (40, n)).astype(t))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_where_it_lies(n: int, dtype: str) -> None:
    """A single extreme, infinity, nan or zero of the other sign at every place of a line."""
    places = sorted({*range(min(n, 20)), *range(max(n - 20, 0), n), n // 2})
    for value, rest in [
        (3.0, 1.0),
        (-3.0, 1.0),
        (numpy.nan, 1.0),
        (-0.0, 0.0),
        (numpy.inf, -numpy.inf),
        (1.0, numpy.nan),
    ]:
        x = numpy.full((len(places), n), rest, dtype)
        x[numpy.arange(len(places)), places] = value
        compare(x)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_values_among_nans_and_zeros(dtype: str, name: str) -> None:
    """Which nan or zero it is: that of the scalar oracle; and no nan raises a condition."""
    generator = numpy.random.default_rng(5)
    for n in (64, 100, 1023, 1024, 1025, 5000):
        for kind in ("numbers", "zeros", "one nan", "nans"):
            a = generator.integers(-3, 3, n).astype(dtype)
            if kind == "zeros":
                a = numpy.where(generator.random(n) < 0.5, -0.0, 0.0).astype(dtype)
            elif kind == "one nan":
                a[generator.integers(n)] = numpy.nan
            elif kind == "nans":
                a[generator.random(n) < 0.1] = -numpy.nan
                a[generator.random(n) < 0.1] = numpy.nan
            found = []
            for executor in ("tile", "reference"):
                with hassium.config(eager_elements=0, executor=executor):
                    h = hassium.array(a)
                    # The logarithm has the conditions of its block looked at.
                    result = getattr(h, name)(), hassium.log(abs(h) + 1.0).sum()
                    found.append(numpy.asarray(result[0]).tobytes())
                    numpy.asarray(result[1])
            assert found[0] == found[1], (n, kind)
            numpy.testing.assert_array_equal(
                numpy.frombuffer(found[0], dtype), [getattr(a, name)()]
            )


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c16"]
)
@pytest.mark.parametrize(
    "shape",
    [(1000, 3), (257, 4), (999, 7), (640, 32), (500, 5, 6), (90, 128), (60, 129), (3, 1000)],
)
def test_few_and_short_lines_with_ties_and_no_numbers(dtype: str, shape: tuple[int, ...]) -> None:
    draw = numpy.random.default_rng(len(shape) + shape[0])
    whole = draw.integers(0, 5, shape)
    with numpy.errstate(all="ignore"):
        x = whole.astype(dtype)
        if dtype[0] == "c":
            x = x + 1j * draw.integers(0, 3, shape)
        for nans in ((), (-1,), (2, -5), range(3, x.size, 11)) if dtype[0] in "fc" else ((),):
            if nans:
                x.reshape(-1)[list(nans)] = numpy.nan
            ours = hassium.array(x)
            for axis in range(x.ndim):
                for find in ("argmax", "argmin"):
                    for a, b in ((ours, x), (ours[::-1], x[::-1]), (ours.T, x.T)):
                        found = numpy.asarray(getattr(hassium, find)(a, axis=axis))
                        assert numpy.array_equal(found, getattr(numpy, find)(b, axis=axis))
