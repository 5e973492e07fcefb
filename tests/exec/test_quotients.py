"""Quotients and remainders: NumPy's bits, where registers compute them and where elements do."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium

pytestmark = pytest.mark.usefixtures("simd_level")

NAMES = ["floor_divide", "remainder", "fmod", "divmod"]


def check(name: str, a: Any, b: Any) -> None:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        own = [hassium.array(x) if numpy.ndim(x) else x for x in (a, b)]
        results = getattr(numpy, name)(a, b), getattr(hassium, name)(*own)
        pairs = [results] if name != "divmod" else list(zip(*results, strict=True))
        for wanted, ours in pairs:
            found = numpy.asarray(ours)
            assert found.dtype == wanted.dtype
            nans = numpy.isnan(wanted) & numpy.isnan(found)
            same = (found == wanted) & (numpy.signbit(found) == numpy.signbit(wanted))
            where = numpy.flatnonzero(~(nans | same))
            assert where.size == 0, (name, where[:5], found[where[:5]], wanted[where[:5]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_floats_near_whole_multiples(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(1)
    b = (draw.standard_normal(20_000) * numpy.exp2(draw.integers(-20, 20, 20_000))).astype(dtype)
    k = numpy.trunc(
        numpy.exp2(draw.uniform(0, 30 if dtype == "f8" else 19, b.size))
        * draw.choice([-1, 1], b.size)
    )
    multiple = (k * b.astype("f8")).astype(dtype)
    for a in (
        multiple,
        numpy.nextafter(multiple, dtype_of(numpy.inf, dtype)),
        numpy.nextafter(multiple, dtype_of(-numpy.inf, dtype)),
        (b * draw.uniform(-3, 3, b.size)).astype(dtype),
        numpy.nextafter(b, dtype_of(0, dtype)),
        -b,
        b * dtype_of(0, dtype),
    ):
        check(name, a, b)
        check(name, a, b[7])
        check(name, a[3], b)


def dtype_of(x: float, dtype: str) -> Any:
    return numpy.dtype(dtype).type(x)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_floats_of_every_size(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(2)
    bits = numpy.dtype(dtype).itemsize * 8
    a, b = draw.integers(0, 2**bits, (2, 30_000), dtype=f"u{bits // 8}").view(dtype)
    with numpy.errstate(all="ignore"):
        b[::3] = a[::3] * numpy.exp2(draw.integers(-30, 30, a[::3].size)).astype(dtype)
    specials = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -1.0]
    b[:100] = draw.choice(specials, 100)
    a[50:150] = draw.choice(specials, 100)
    check(name, a, b)
    check(name, b, a)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_integers(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(3)
    ends = numpy.iinfo(dtype)
    everything = draw.integers(ends.min, ends.max, 3000, dtype=dtype, endpoint=True)
    medium = draw.integers(max(ends.min, -(2**49)), min(ends.max, 2**49), 3000).astype(dtype)
    few = draw.integers(max(ends.min, -9), 9, 3000).astype(dtype)
    no_ends = numpy.where((few == 0) | (few + 1 == 0), few.dtype.type(7), few)
    extremes = draw.choice(numpy.array([ends.min, ends.max, 0, 1], dtype), 3000)
    for a in (everything, medium, few, extremes):
        for b in (everything, medium, few, no_ends, extremes):
            check(name, a, b)
        for scalar in (1, 2, 3, 7, 100, int(ends.max), int(ends.min)):
            check(name, a, numpy.dtype(dtype).type(scalar))
            check(name, numpy.dtype(dtype).type(scalar), a)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_every_number_by_one_divisor(name: str, dtype: str) -> None:
    ends = numpy.iinfo(dtype)
    a = numpy.arange(ends.min, ends.max + 1).astype(dtype)
    draw = numpy.random.default_rng(4)
    divisors = a if ends.bits == 8 else draw.choice(a, 100)
    for divisor in divisors:
        check(name, a, divisor)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["i4", "u4"])
def test_near_multiples_of_one_divisor(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(5)
    ends = numpy.iinfo(dtype)
    for bits in range(1, 32):
        divisor = draw.integers(2 ** (bits - 1), 2**bits)
        for sign in (1, -1) if dtype == "i4" else (1,):
            most = ends.max // divisor
            k = draw.integers(-most if ends.min else 0, most, 200, endpoint=True)
            for a in (k * divisor, k * divisor + 1, k * divisor - 1):
                check(name, a.astype(dtype), numpy.dtype(dtype).type(sign * divisor))


def test_conditions() -> None:
    a = hassium.array(numpy.arange(1.0, 1001))
    with hassium.errstate(all="raise"):
        for divisor in (3.0, -0.7, 1e300, 1e-10):
            numpy.asarray(a % divisor)
            numpy.asarray(a // divisor)
    whole = hassium.array(numpy.arange(1, 1001))
    zero = whole.copy()
    zero[500] = 0
    for divide in (lambda: whole // zero, lambda: whole % zero, lambda: a % (zero * 1.0)):
        with hassium.errstate(all="raise"), pytest.raises(FloatingPointError):
            numpy.asarray(divide())
    tiny = hassium.full(1000, 5e-324)
    for divide in (hassium.floor_divide, lambda x, y: hassium.divmod(x, y)[0]):
        with hassium.errstate(all="raise"), pytest.raises(FloatingPointError):
            numpy.asarray(divide(tiny, 0.3))
        with hassium.errstate(all="raise"), pytest.raises(FloatingPointError):
            numpy.asarray(divide(tiny, 1e-7))
        with hassium.errstate(all="raise"):
            numpy.asarray(divide(tiny * 0, 0.3)), numpy.asarray(divide(tiny, 5e-324))
    for dtype in ("i1", "i2", "i4", "i8"):
        least = hassium.full(1000, numpy.iinfo(dtype).min, dtype=dtype)
        with hassium.errstate(all="raise"):
            numpy.asarray(least // 3), numpy.asarray(least % -1), numpy.asarray(least // -3)
            for overflows in (lambda x: x // -1, lambda x: divmod(x, -1)[0], lambda x: x % 0):
                with pytest.raises(FloatingPointError):
                    numpy.asarray(overflows(least))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u2", "i1"])
def test_integers_near_multiples_of_one_divisor(name: str, dtype: str) -> None:
    """Up to 50 bits, and some beyond, where a reciprocal is as far off as it may be."""
    draw = numpy.random.default_rng(6)
    limits = numpy.iinfo(dtype)
    most = min(int(limits.max), 2**50 + 3)
    for _ in range(40):
        b = int(draw.integers(2, min(most, 2 ** int(draw.integers(2, 51))), endpoint=True))
        a = draw.integers(0, most // b, 600, endpoint=True) * b + draw.integers(-2, 3, 600)
        a[:20] = most - numpy.arange(20)
        if limits.min < 0:
            a *= draw.choice([-1, 1], a.size)
            b *= draw.choice([-1, 1])
        check(name, a.clip(max(limits.min, -most), most).astype(dtype), numpy.dtype(dtype).type(b))


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u4", "i2", "i1", "u1", "?"])
def test_integers_by_powers_of_two(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(7)
    a = draw.integers(0, 2**64, 500, dtype="u8").view("i8").astype(dtype)
    for power in range(7 if dtype == "i1" else 8 * a.itemsize - 1):
        check(name, a, 2**power)
        check(name, a, -(2**power) if dtype[0] == "i" else 3)


def test_powers_of_two_divide_as_shifts() -> None:
    hassium.flush()
    a = hassium.array(numpy.arange(-500, 500))
    with hassium.debug.capture() as flushes:
        (a // 8 % 4).to_numpy()
    assert "right_shift" in flushes[0].program
    assert "bitwise_and" in flushes[0].program


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "c16", "c8"])
def test_one_number_as_divisor(dtype: str) -> None:
    """A power of two is taken as a factor: the same bits, and conditions of a division."""
    values: Any = [0.0, -0.0, 1.0, -3.0, 7e4, 5e-324, 1e-310, 2.2250738585072014e-308, 1.7e308]
    values += [3.4e38, 1.2e-38, 1e-45, numpy.inf, -numpy.inf, numpy.nan]
    with numpy.errstate(all="ignore"):
        a = numpy.array(values * 80).astype(dtype)
    powers = [1.0, 2.0, -2.0, 0.5, 0.125, 2.0**60, 2.0**-60, 2.0**126, 2.0**127, 2.0**-127]
    powers += [2.0**-149, 2.0**1022, 2.0**1023, 2.0**-1022, 2.0**-1074, 0.0, numpy.inf, 3.0]
    for divisor in powers:
        for b in (divisor, numpy.float64(divisor)):
            found = []
            for np in (numpy, hassium):
                with warnings.catch_warnings(record=True) as caught, np.errstate(under="warn"):
                    warnings.simplefilter("always")
                    result = numpy.asarray(np.array(a) / b)
                found.append((result, sorted(str(w.message) for w in caught)))
            assert found[0][0].dtype == found[1][0].dtype
            numpy.testing.assert_array_equal(found[1][0], found[0][0])
            if a.dtype.kind != "c":
                signs = [numpy.signbit(result[~numpy.isnan(result)]) for result, _ in found]
                numpy.testing.assert_array_equal(*signs)
                assert found[0][1] == found[1][1], divisor
