"""Accumulations: the same bits on any number of threads and from the reference executor."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium

LENGTHS = [1, 1000, 1024, 1025, 5000, 16384, 16385, 100_000]


def numbers(count: int, dtype: str) -> Any:
    draw = numpy.random.default_rng(count)
    if dtype[0] == "i":
        return draw.integers(-50, 50, count).astype(dtype)
    return (draw.random(count) * 2 - 1).astype(dtype)


def bits(array: Any) -> bytes:
    return bytes(numpy.ascontiguousarray(numpy.asarray(array)).tobytes())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i4"])
@pytest.mark.parametrize("length", LENGTHS)
def test_bits_do_not_depend_on_threads(length: int, dtype: str) -> None:
    x = numbers(length, dtype)
    found = []
    for threads in (1, 2, 3, 7):
        with hassium.config(parallelize="on", threads=threads):
            found.append(bits(hassium.cumsum(hassium.array(x))))
    with hassium.config(executor="reference"):
        found.append(bits(hassium.cumsum(hassium.array(x))))
    assert found == [found[0]] * 5


@pytest.mark.parametrize("length", LENGTHS)
def test_at_least_as_accurate_as_one_after_the_other(length: int) -> None:
    x = numbers(length, "f8")
    exact = numpy.cumsum(x.astype(numpy.longdouble))
    own = numpy.asarray(hassium.cumsum(hassium.array(x)))
    error = float(numpy.max(numpy.abs(own - exact)))
    assert error <= 1e-16 * length * float(numpy.max(numpy.abs(exact)))
    if length <= 1024:
        assert bits(own) == bits(numpy.cumsum(x))


def test_running_sums_of_positive_numbers_never_fall() -> None:
    x = numpy.abs(numbers(100_000, "f4"))
    own = numpy.asarray(hassium.cumsum(hassium.array(x)))
    assert bool(numpy.all(own[1:] >= own[:-1]))


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("dtype", ["f8", "f4", "c8", "c16"])
def test_zeros_infinities_and_nans_in_blocks(dtype: str) -> None:
    for special in (-0.0, numpy.inf, numpy.nan, complex(0, -numpy.inf)):
        for place in (0, 5, 1023, 1024, 1999):
            x = numpy.full(2003, -0.0, "c16")
            x[place] = special
            if dtype[0] == "f":
                x = x.real
            x = x.astype(dtype)
            with numpy.errstate(invalid="ignore"):
                wanted = numpy.cumsum(x)
            own = numpy.asarray(hassium.cumsum(hassium.array(x)))
            numpy.testing.assert_array_equal(own, wanted)
            for part in ("real", "imag"):
                signs = [numpy.signbit(getattr(a, part)) for a in (own, wanted)]
                assert (signs[0] == signs[1])[~numpy.isnan(getattr(wanted, part))].all()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("way", ["plain", "spaced", "turned", "backwards"])
def test_layouts(axis: int, way: str) -> None:
    x = numbers(6000 * 9, "f8").reshape(6000, 9)
    views = {
        "plain": lambda a: a,
        "spaced": lambda a: a[::2, ::2],
        "turned": lambda a: a.T,
        "backwards": lambda a: a[::-1, ::-1],
    }
    own = hassium.cumsum(views[way](hassium.array(x)), axis=axis)
    numpy.testing.assert_allclose(
        numpy.asarray(own), numpy.cumsum(views[way](x), axis=axis), rtol=1e-12, atol=1e-12
    )
    with hassium.config(executor="reference"):
        reference = bits(hassium.cumsum(views[way](hassium.array(x)), axis=axis))
    assert bits(own) == reference


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c8", "c16", "i8", "u2", "?"])
@pytest.mark.parametrize("rows", [1, 5, 300, 2500])
def test_narrow_rows_and_short_lines(rows: int, dtype: str) -> None:
    for width in (1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 40, 100):
        x = numbers(rows * width, "f8").reshape(rows, width)
        x = (x * 9).astype(dtype)
        for axis in (0, 1):
            found = []
            for executor in ("tile", "reference"):
                with hassium.config(executor=executor):
                    own = hassium.array(x)
                    results = [hassium.cumsum(own, axis=axis), hassium.cumsum(own[:, ::-1], axis)]
                    results.append(hassium.logical_or.accumulate(own, axis=axis))
                    if dtype != "?":
                        results.append(hassium.maximum.accumulate(own, axis=axis))
                        hassium.add.accumulate(own, axis=axis, out=own)
                        results.append(own)
                    found.append([bits(result) for result in results])
            assert found[0] == found[1], (width, axis)


def test_in_place_other_dtypes_and_extremes() -> None:
    x = numbers(50_000, "f8")
    own = hassium.array(x)
    hassium.cumsum(own, out=own)
    numpy.testing.assert_allclose(numpy.asarray(own), numpy.cumsum(x), rtol=1e-11, atol=1e-11)
    narrow = hassium.cumsum(hassium.array(x.astype("f4")), dtype="f8")
    numpy.testing.assert_allclose(
        numpy.asarray(narrow), numpy.cumsum(x.astype("f4"), dtype="f8"), rtol=1e-11, atol=1e-11
    )
    top = hassium.maximum.accumulate(hassium.array(x))
    assert bits(top) == bits(numpy.maximum.accumulate(x))


def test_a_running_product_keeps_numpys_order() -> None:
    x = numpy.concatenate([numpy.full(1000, 0.5), numpy.full(1100, 2.0)])
    assert bits(hassium.cumprod(hassium.array(x))) == bits(numpy.cumprod(x))


INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
OPS = ["add", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"]
# Around registers, lines that wait together, blocks, pieces and runs.
WHOLE = [1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 513, 1025, 16384, 50_001]


def whole_numbers(shape: Any, dtype: str) -> Any:
    limits = numpy.iinfo(dtype)
    draw = numpy.random.default_rng(7)
    # Odd ones, or products would soon be zero.
    return draw.integers(limits.min, limits.max, shape, dtype, endpoint=True) | numpy.array(
        1, dtype
    )


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("dtype", [*INTEGERS, "?"])
@pytest.mark.parametrize("op", OPS)
def test_whole_numbers_in_any_order(op: str, dtype: str) -> None:
    ways = [lambda a: a, lambda a: a[::-1], lambda a: a[::3], lambda a: a[-3::-2]]
    for length in WHOLE:
        if dtype == "?":
            x = numpy.random.default_rng(length).random(length) < 0.5
        else:
            x = whole_numbers(length, dtype)
        for way in ways:
            expected = getattr(numpy, op).accumulate(way(x), dtype=dtype)
            own = way(hassium.array(x))
            wider = numpy.zeros(2 * expected.size, "i8")[::2]
            spaced = hassium.array(numpy.zeros(2 * expected.size, "i8"))[::2]
            getattr(numpy, op).accumulate(way(x), dtype=dtype, out=wider)
            getattr(hassium, op).accumulate(own, dtype=dtype, out=spaced)
            result = getattr(hassium, op).accumulate(own, dtype=dtype)
            numpy.testing.assert_array_equal(numpy.asarray(result), expected)
            numpy.testing.assert_array_equal(numpy.asarray(spaced), wider)
            getattr(hassium, op).accumulate(own, dtype=dtype, out=own)
            numpy.testing.assert_array_equal(numpy.asarray(own), expected)


@pytest.mark.parametrize("dtype", ["i8", "u4", "i1", "?"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_whole_numbers_among_threads(threads: int, dtype: str) -> None:
    x = numpy.arange(400_003) * 7919 % 256 - 100
    x = (x % 3 == 0) if dtype == "?" else x.astype(dtype)
    for _ in range(5):
        with hassium.config(parallelize="on", threads=threads):
            own = hassium.array(x)
            results = [hassium.cumsum(own), hassium.cumsum(own[::-1])]
            results.append(hassium.maximum.accumulate(own))
            results.append(hassium.cumsum(hassium.maximum(own, own[::-1])) + 1)
            hassium.flush()
        expected = [numpy.cumsum(x), numpy.cumsum(x[::-1]), numpy.maximum.accumulate(x)]
        expected.append(numpy.cumsum(numpy.maximum(x, x[::-1])) + 1)
        for result, wanted in zip(results, expected, strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(result), wanted)


def column_values(shape: Any, dtype: str) -> Any:
    """Values whose sums and products stay small, with zeros of both signs and nans."""
    draw = numpy.random.default_rng(11)
    if dtype == "?":
        return draw.random(shape) < 0.5
    if dtype[0] in "iu":
        return draw.integers(0, 100, shape).astype(dtype)
    x = draw.choice([-1.0, 1.0, 0.5, 2.0, -0.0, 0.0, 3.25], shape)
    x = numpy.where(draw.random(shape) < 0.001, numpy.nan, x)
    return (x + 1j * draw.permuted(x, axis=0) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize(
    "dtype", ["f8", "f4", "f2", "c16", "c8", "i8", "u8", "i4", "i2", "u1", "?"]
)
@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "fmin", "logical_or"])
def test_few_columns(op: str, dtype: str) -> None:
    ways = [lambda a: a, lambda a: a[::-1], lambda a: a[:, :-1], lambda a: a[::2, 1:]]
    for width in (1, 2, 3, 4, 5, 6, 7, 9, 15, 31, 33, 65):
        x = column_values((1500, width), dtype)
        for way in ways:
            found = []
            for executor in ("tile", "reference"):
                with hassium.config(executor=executor), hassium.errstate(all="ignore"):
                    own = way(hassium.array(x))
                    results = [getattr(hassium, op).accumulate(own, axis=0)]
                    if op != "logical_or":
                        getattr(hassium, op).accumulate(own, axis=0, dtype=dtype, out=own)
                        results.append(own)
                    found.append([bits(result) for result in results])
            assert found[0] == found[1], width
            with numpy.errstate(all="ignore"):
                expected = getattr(numpy, op).accumulate(way(x), axis=0)
            numpy.testing.assert_allclose(
                numpy.asarray(results[0]), expected, rtol=1e-3 if dtype == "f2" else 1e-6
            )


@pytest.mark.parametrize("dtype", ["f8", "c16", "i4", "u1", "f2"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes_that_carry_on_are_taken_together(axis: int, dtype: str) -> None:
    ways = [
        lambda a: a,
        lambda a: a[::-1, ::-1],
        lambda a: a[:, :, ::-1],
        lambda a: a[:, 1:],
        lambda a: a.transpose(1, 2, 0),
        lambda a: a.transpose(2, 1, 0),
        lambda a: a[:0],
        lambda a: a[:1],
    ]
    for shape in [(30, 40, 3), (40, 3, 7), (2, 1100, 3), (1, 9, 1)]:
        x = column_values(shape, dtype)
        for way in ways:
            found = []
            for settings in ({"executor": "reference"}, *({"threads": n} for n in (1, 2, 3))):
                with hassium.config(parallelize="on", **settings), hassium.errstate(all="ignore"):
                    own = way(hassium.array(x))
                    found.append(bits(hassium.cumsum(own, axis=axis)))
                    found[-1] += bits(hassium.maximum.accumulate(own, axis=axis))
            assert found == [found[0]] * 4, shape


@pytest.mark.usefixtures("simd_level")
def test_columns_raise_nothing_of_their_own() -> None:
    x = numpy.ones((600, 3))
    x[:, 1] = 1e305
    for dtype in ("f8", "f4", "f2"):
        with numpy.errstate(over="ignore"):
            y = (x if dtype == "f8" else numpy.where(x > 1, 90, x)).astype(dtype)
        with hassium.errstate(all="raise"):
            hassium.flush()
            numpy.asarray(hassium.cumsum(hassium.array(y), axis=0))
    with hassium.errstate(over="raise"), pytest.raises(FloatingPointError):
        numpy.asarray(hassium.cumsum(hassium.array(x * 1e1), axis=0))
    nan = numpy.array([[1.0, numpy.nan, 2.0]] * 50)
    with hassium.errstate(all="raise"):
        for dtype in ("f8", "c16"):
            numpy.asarray(hassium.maximum.accumulate(hassium.array(nan.astype(dtype)), axis=0))
