"""Lines of short length, elements that lie apart, and rows whose last tile is written in place.

Every length around those of tiles, at every level; results are exact. The bytes between elements
are another program's: they keep what they held.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair

LENGTHS = [1, 2, 9, 15, 17, 31, 33, 63, 64, 65, 127, 128, 129, 200, 257, 513, 1100]
DTYPES = ["float64", "float32", "int64", "int16", "int8", "bool"]

pytestmark = pytest.mark.usefixtures("simd_level")


def draw(shape: Any, seed: int, dtype: str = "float64") -> Any:
    return numpy.random.default_rng(seed).uniform(-4, 4, shape).astype(dtype)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [2, 3, -1, -2])
def test_reads_apart(n: int, dtype: str, step: int) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        a, b = x[::step], y[: len(x[::step])]
        both = a + b if dtype == "bool" else a + b - a * b
        return [both, a + a, (a > b) | (b == a), np.where(a < b, a, b), a.astype("float64") + b]

    pair(program, draw(2 * n, 1, dtype), draw(2 * n, 2, dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [2, 3, -1, -2])
def test_writes_apart(n: int, dtype: str, step: int) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        out = y.copy()
        here = out[::step]
        here[...] = x[: len(here)] + here
        x[1::2] = x[1::2] + x[1::2] * x[: 2 * len(x[1::2]) : 2]
        return [out, x]

    pair(program, draw(2 * n, 3, dtype), draw(2 * n, 4, dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_even_and_odd(n: int, dtype: str) -> None:
    def program(np: Any, u: Any) -> list[Any]:
        for _ in range(2):
            u[1:-1:2] = 3 * (u[:-2:2] + u[2::2]) - u[1:-1:2]
            u[2:-1:2] = 3 * (u[1:-2:2] - u[3::2])
        return [u]

    pair(program, draw(2 * n + 2, 5, dtype))


@pytest.mark.parametrize("n", [7, 64, 65, 129, 200])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_rows_of_planes(n: int, dtype: str) -> None:
    def program(np: Any, u: Any) -> list[Any]:
        u[1:-1, 1:-1:2] = 2 * (u[:-2, 1:-1:2] + u[2:, 1:-1:2] + u[1:-1, :-2:2] + u[1:-1, 2::2])
        u[1:-1, 2:-1:2] -= u[1:-1, 1:-2:2] * u[1:-1, 3::2]
        turned = u[::-1, ::-1] * u + u[:, ::-1]
        return [u, turned]

    pair(program, draw((9, 2 * n), 6, dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex64"])
def test_outer_product_in_place(n: int, dtype: str) -> None:
    def program(np: Any, a: Any) -> list[Any]:
        a[1:, 1:] -= a[1:, :1].copy() * a[:1, 1:]
        a[1:, 1:] *= a[1:, 1:] + a[:1, 1:]
        b = a.copy()
        b[1:-1, 1:] = b[1:-1, 1:] + a[2:, 1:] * a[:-2, :-1]
        return [a, b]

    pair(program, draw((7, n + 1), 7, dtype))


@pytest.mark.parametrize("rows", [2, 7, 8, 9, 30])
@pytest.mark.parametrize("n", [64, 65, 127, 128, 150, 191, 257])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex128"])
def test_short_rows_together(rows: int, n: int, dtype: str) -> None:
    """A tile of several rows at a time; the ends of rows wait where they are written in place."""

    def program(np: Any, a: Any, b: Any) -> list[Any]:
        scaled = b[:, 1:] * b[:, :1] + b[0, 1:]
        a[:, 1:] -= a[:, :1].copy() * a[0, 1:].copy()
        a[:, :-1], b[:, :-1] = a[:, :-1] + b[:, :-1], a[:, :-1] * b[:, :-1]
        a[::-1, 1:] += scaled
        wide = np.where(a[:, 2:] == scaled[:, 1:], a[:, 2:], b[:, 2:]) * 0.5
        return [a, b, scaled, wide]

    pair(program, draw((rows, n + 1), 11, dtype), draw((rows, n + 1), 12, dtype))


@pytest.mark.parametrize("n", [64, 65, 120, 300])
def test_chunks_of_rows(n: int) -> None:
    """Many threads, each with part of the rows of a cube."""

    def program(np: Any, a: Any, b: Any) -> list[Any]:
        for _ in range(2):
            a[:, 1:, 1:] += b[:, :-1, :-1] * a[:, 1:, 1:]
        return [a]

    with hassium.config(threads=3, parallelize="on"):
        pair(program, draw((20, 40, n), 8), draw((20, 40, n), 9) / 8)


@pytest.mark.parametrize("n", LENGTHS)
def test_lanes_between_raise_nothing(n: int) -> None:
    """Zeros between the elements are divisors of nobody."""
    x = numpy.zeros(2 * n)
    x[::2] = draw(n, 10) + 5
    with numpy.errstate(all="raise"):
        found = 1.0 / (hassium.array(x)[::2] * 1.0)
        numpy.testing.assert_array_equal(numpy.asarray(found), 1.0 / x[::2])
