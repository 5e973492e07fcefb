"""Shifts by counts of every kind, of all lanes together."""

from __future__ import annotations

import numpy
import pytest

import hassium
from array_pairs import plain

pytestmark = pytest.mark.usefixtures("simd_level")


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("name", ["left_shift", "right_shift"])
def test_counts_may_be_beyond_the_width(name: str, dtype: str) -> None:
    info = numpy.iinfo(dtype)
    low, high, bits = int(info.min), int(info.max), info.bits
    values = [0, 1, 5, high, high // 3, low, low // 3, low + 1]
    wanted = [0, 1, bits - 1, bits, bits + 1, 2 * bits - 1, 100, high, low, -1, -bits]
    counts = [c for c in wanted if low <= c <= high]
    a = numpy.repeat(numpy.array(values, dtype), len(counts) + 2)
    for shift in range(len(counts)):
        b = numpy.roll(numpy.resize(numpy.array(counts, dtype), a.size), shift)
        got = getattr(hassium, name)(hassium.array(a), hassium.array(b))
        numpy.testing.assert_array_equal(plain(got), getattr(numpy, name)(a, b))
    for count in counts:
        got = getattr(hassium, name)(hassium.array(a), count)
        numpy.testing.assert_array_equal(plain(got), getattr(numpy, name)(a, count))
