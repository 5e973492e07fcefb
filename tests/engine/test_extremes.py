"""argmin and argmax of contiguous lines: every length around those of registers and blocks."""

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
