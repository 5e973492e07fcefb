"""Chains of maps on register tiles: every length of a row, every way a row ends, every level.

Lengths lie around those of tiles (16 elements of float64 with the narrowest registers, 512 of int8
with the widest). Results are exact: all operations are.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import hassium

LENGTHS = [1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 200, 511, 513, 700, 1500]


def runs(level: str) -> bool:
    """Whether build and machine have the level."""
    try:
        with hassium.config(simd=level):
            numpy.asarray(hassium.ones(3) + 1.0)
    except ValueError:
        return False
    return True


LEVELS = [level for level in ("v2", "v3", "v4", "baseline") if runs(level)]


@pytest.fixture(params=LEVELS, autouse=True)
def level(request: pytest.FixtureRequest) -> Iterator[None]:
    with hassium.config(simd=request.param, direct_elements=0):
        yield


def pair(program: Any, *inputs: Any) -> None:
    expected = program(numpy, *[x.copy() for x in inputs])
    found = program(hassium, *[hassium.array(x) for x in inputs])
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def floats(n: int, seed: int, dtype: str = "float64") -> Any:
    return numpy.random.default_rng(seed).uniform(-4, 4, n).astype(dtype)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "int8"])
def test_arithmetic(n: int, dtype: str) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        t = (x + y) * (x - y) - x * x
        return [t, np.maximum(t, y) - np.minimum(t, x), (t + t) * t]

    pair(program, floats(n, 1, dtype), floats(n, 2, dtype))


@pytest.mark.parametrize("n", LENGTHS)
def test_masks(n: int) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        inside = (x < y) & ~(x * y > 1.0)
        picked = np.where(inside, x * 2.0, y)
        return [inside, picked, np.where(x == y, 1.0, picked), np.clip(x, -1.0, y)]

    pair(program, floats(n, 3), floats(n, 4))
    pair(program, floats(n, 3, "float32"), floats(n, 4, "float32"))


@pytest.mark.parametrize("n", LENGTHS)
def test_dtypes_meet(n: int) -> None:
    def program(np: Any, x: Any, i: Any, b: Any) -> list[Any]:
        wide = x.astype("float64") * i + (b != 0)
        return [wide, wide.astype("float32") - x, (wide > 0) + b, (i * 3).astype("int16")]

    pair(program, floats(n, 5, "float32"), floats(n, 6, "int32"), floats(n, 7, "int8"))


@pytest.mark.parametrize("n", LENGTHS)
def test_in_place(n: int) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        before = x * 2.0
        x += y
        x *= x
        y[...] = before - x
        return [x, y, before]

    pair(program, floats(n, 8), floats(n, 9))


@pytest.mark.parametrize("n", [2, 20, 66, 131, 300])
def test_rows(n: int) -> None:
    def program(np: Any, u: Any) -> list[Any]:
        old = u[1:-1, 1:-1]
        new = (u[:-2, 1:-1] + u[2:, 1:-1]) * 0.5 - (u[1:-1, :-2] + u[1:-1, 2:]) * 0.25
        most = np.abs(new - old).max()
        u[1:-1, 1:-1] = new
        return [u, np.asarray(most), u[:, ::2] * 2.0 + u[:, ::2]]

    pair(program, floats(23 * (n + 2), 10).reshape(23, n + 2))


@pytest.mark.parametrize("n", LENGTHS)
def test_lanes_without_elements_raise_nothing(n: int) -> None:
    x = hassium.array(numpy.full(n, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numpy.testing.assert_array_equal(numpy.asarray(1.0 / x / x), numpy.full(n, 0.25))
        x *= 0.5
        numpy.testing.assert_array_equal(numpy.asarray(1.0 / x), numpy.ones(n))


@pytest.mark.parametrize("n", LENGTHS)
def test_the_last_element_raises(n: int) -> None:
    values = numpy.ones(n)
    values[-1] = 0.0
    x = hassium.array(values)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        numpy.asarray(1.0 / x + x)
