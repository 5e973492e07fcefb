"""Integers where registers have no instruction of their own for them: casts, powers, magnitudes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from simd_levels import LEVELS

INTEGERS = "bBhHiIlLqQ"


def edges(dtype: str, n: int = 700) -> Any:
    """Around every power of two, where a cast rounds, and at random."""
    info = numpy.iinfo(dtype)
    exact = [s * 2**k + d for k in range(65) for s in (1, -1) for d in range(-3, 4)]
    halves = [s * (2**k + 2**j + d) for k in (25, 54, 62) for j in (0, 1, 8, 9) for s in (1, -1)
              for d in (-1, 0, 1)]  # fmt: skip
    fit = [v for v in exact + halves if info.min <= v <= info.max]
    generator = numpy.random.default_rng(7)
    drawn = generator.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    return numpy.concatenate([numpy.array(fit, dtype=dtype), drawn])


def same(ours: Any, theirs: Any) -> None:
    found = numpy.asarray(ours)
    assert found.dtype == theirs.dtype
    assert found.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_casts_to_floats_within_a_block(level: str, dtype: str) -> None:
    a = edges(dtype)
    small = a >> (a.dtype.itemsize * 8 // 2)  # all of a tile fits into a double
    with hassium.config(simd=level, eager_elements=0):
        for whole in (a, small, a[::-1], a[1:]):
            h = hassium.array(whole)
            same(h * 1.0, whole * 1.0)
            same(h / 3, whole / 3)
            same(h.astype("f4") * numpy.float32(0.5), whole.astype("f4") * numpy.float32(0.5))
            same(h.astype("f8").astype("f4"), whole.astype("f8").astype("f4"))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers(level: str, dtype: str) -> None:
    a = edges(dtype)
    with hassium.config(simd=level, eager_elements=0), numpy.errstate(all="ignore"):
        for exponent in (0, 1, 2, 3, 4, 5, 7, 8, 10, 31, 64, 100):
            for part in (a, a[:5], a[::2], a[3:]):
                same(hassium.array(part) ** exponent, part**exponent)
        h = hassium.array(a)
        h **= 3
        same(h, a**3)
        exponents = (numpy.arange(a.size) % 9).astype(dtype)
        same(hassium.array(a) ** exponents, a**exponents)
        same(hassium.power(a.dtype.type(3), exponents), numpy.power(a.dtype.type(3), exponents))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_magnitudes(level: str, dtype: str) -> None:
    a = edges(dtype)
    with hassium.config(simd=level, eager_elements=0):
        same(abs(hassium.array(a)), numpy.absolute(a))
        same(abs(hassium.array(a) + 1) * 2, numpy.absolute(a + 1) * 2)
