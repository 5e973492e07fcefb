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
        with hassium.config(share="on", threads=threads):
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
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i8", "u2", "?"])
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
