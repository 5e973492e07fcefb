"""ldexp and frexp: NumPy's bits and conditions, of normal numbers by registers, of all others."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium

pytestmark = pytest.mark.usefixtures("simd_level")


def numbers(dtype: str, kind: str) -> Any:
    draw = numpy.random.default_rng(8)
    size = numpy.dtype(dtype).itemsize
    if kind == "normal":
        return draw.standard_normal(3000).astype(dtype)
    if kind == "small":
        return (draw.standard_normal(3000) * numpy.finfo(dtype).tiny).astype(dtype)
    x = draw.integers(0, 2 ** (8 * size), 3000, dtype=f"u{size}").view(dtype)
    x[:5] = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan]
    return numpy.where(numpy.isnan(x), x.dtype.type(numpy.nan), x)


def agree(ours: Any, theirs: Any) -> None:
    found = numpy.asarray(ours)
    assert found.dtype == theirs.dtype
    numpy.testing.assert_array_equal(found, theirs)
    numpy.testing.assert_array_equal(numpy.signbit(found), numpy.signbit(theirs))


@pytest.mark.parametrize("kind", ["normal", "small", "all"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_bits(dtype: str, kind: str) -> None:
    x = numbers(dtype, kind)
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        for ours, theirs in zip(hassium.frexp(hassium.array(x)), numpy.frexp(x), strict=True):
            agree(ours, theirs)
        ends = [-(2**62), -1100, -1023, -1022, -150, -127, -126, -3, 0, 5, 127, 128, 1023, 1024]
        for e in [*ends, 2**62]:
            n = max(-(2**31), min(e, 2**31 - 1))
            agree(hassium.ldexp(hassium.array(x), numpy.int64(e)), numpy.ldexp(x, n))
        for reach in (20, 140, 1100, 3000):
            e = numpy.random.default_rng(9).integers(-reach, reach, x.size)
            agree(hassium.ldexp(hassium.array(x), hassium.array(e)), numpy.ldexp(x, e))
            agree(hassium.ldexp(x[7], hassium.array(e)), numpy.ldexp(x[7], e))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_conditions(dtype: str) -> None:
    x = hassium.ones(1000, dtype)
    with hassium.errstate(all="raise"):
        numpy.asarray(hassium.ldexp(x, 100)), numpy.asarray(hassium.frexp(x)[0])
        numpy.asarray(hassium.ldexp(x, -140 if dtype == "f4" else -1060))  # exact
        for e in (2000, -2000):
            with pytest.raises(FloatingPointError):
                numpy.asarray(hassium.ldexp(x, e))
        with pytest.raises(FloatingPointError):
            numpy.asarray(hassium.ldexp(x * 3, 127 if dtype == "f4" else 1023))
