"""Chains of maps on register tiles: every length of a row, every way a row ends, every level.

Results are exact: all operations are.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair
from tile_rows import LENGTHS, floats

pytestmark = pytest.mark.usefixtures("simd_level")


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "int8"])
def test_arithmetic(n: int, dtype: str) -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        t = (x + y) * (x - y) - x * x
        return [t, np.maximum(t, y) - np.minimum(t, x), (t + t) * t]

    pair(program, floats(n, 1, dtype), floats(n, 2, dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_polynomials(n: int, dtype: str) -> None:
    """Terms that come two at a time: odd and even counts, added and taken away, read by others."""

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        results = []
        for terms in range(1, 7):
            p = y
            for k in range(terms):
                p = p * x + 0.5 if (terms >> k) % 2 else x * p - 0.25
            results.append(p)
        p = x * 0.125 + 1.5
        q = p * x - 0.75
        r = ((q * x + 0.5) * x + 2.0) * y - 1.0
        return [*results, r, (q * y + 0.5) * x + 0.5, 1.0 - (p * x + 3.0) * x, (p * p + 1.0) * p]

    pair(program, floats(n, 11, dtype), floats(n, 12, dtype))


@pytest.mark.parametrize("terms", range(1, 7))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_zeros_that_polynomials_take_away(terms: int, dtype: str) -> None:
    """The sign of a zero is that of its subtraction, whatever the term is added as."""

    def polynomial(np: Any, x: Any, y: Any, taken: tuple[float, ...]) -> Any:
        p, by = np.asarray(y), np.asarray(x)
        for zero in taken:
            p = p * by - zero
        return numpy.array(p)

    zeros = numpy.array([0.0, -0.0] * 32, dtype)
    for x in (numpy.full(64, 1.0, dtype), numpy.full(64, -1.0, dtype)):
        for taken in itertools.product((0.0, -0.0), repeat=terms):
            expected = polynomial(numpy, x, zeros, taken)
            assert polynomial(hassium, x, zeros, taken).tobytes() == expected.tobytes()


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


TURNS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "from": lambda a, b: b - a,
    "*": lambda a, b: a * b,
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("second", TURNS)
@pytest.mark.parametrize("first", TURNS)
def test_two_turns(first: str, second: str, dtype: str) -> None:
    """Two operations in one step round twice, whatever their operands are."""
    one, two = TURNS[first], TURNS[second]

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        root = np.sqrt(abs(x))
        from_memory = [two(one(x, y), root), two(one(x, 0.3), y), two(one(x, y), 0.7)]
        kept = np.sqrt(abs(y))
        squares = [two(x * x, 0.1), two(np.sqrt(abs(x)) ** 2, y)]
        return [*from_memory, two(one(kept, x), 1.1), two(one(kept, 0.9), kept), *squares]

    pair(program, floats(200, 20, dtype), floats(200, 21, dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16"])
def test_bools_as_numbers(n: int, dtype: str) -> None:
    def program(np: Any, x: Any, y: Any, b: Any) -> list[Any]:
        low, high = x < y, x > 2 * y
        counts = x + low + high
        as_they_are = [low.astype(dtype), np.where(high, x, y) * low.astype(dtype)]
        return [counts, low * y, high * x - b * y, low + counts * b, b + x, *as_they_are]

    pair(program, floats(n, 22, dtype), floats(n, 23, dtype), floats(n, 24) > 0)


@pytest.mark.parametrize("n", [63, 700])
def test_overwritten_by_turns(n: int) -> None:
    """Arrays that are read, written and read again keep their order however steps are ordered."""

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        results = []
        for k in range(4):
            old = x - 0.5 * y
            x += y * 0.25
            y -= old * x
            results.append(old + (x > y) * k)
        return [*results, x, y]

    pair(program, floats(n, 27), floats(n, 28))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("columns", [200, 40])
def test_terms_that_are_taken_away_keep_the_sign_of_a_nan(dtype: str, columns: int) -> None:
    x = numpy.ones((9, columns), dtype)
    for sign in (1.0, -1.0):
        c = numpy.full((1, 1), numpy.copysign(numpy.nan, sign), dtype)
        wanted = numpy.signbit(((x * 2 - c) * x - c) * x - c)
        with hassium.config(eager_elements=0):
            y, d = hassium.array(x), hassium.array(c)
            found = numpy.asarray(((y * 2 - d) * y - d) * y - d)
        assert numpy.isnan(found).all()
        assert (numpy.signbit(found) == wanted).all()


# Whole tiles and less, also of rows that are walked.
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4", "i2", "c16"])
@pytest.mark.parametrize("n", [1, 7, 64, 65, 300, 1500])
def test_columns_of_rows(n: int, dtype: str) -> None:
    """Elements any distance apart are read and written where they lie."""
    for columns in (3, 4, 5, 8, 19):
        x = (floats(n * columns, n).reshape(n, columns) * 30).astype(dtype)

        def run(np: Any, x: Any = x) -> list[Any]:
            a = np.asarray(x.copy())
            first, last, behind = a[:, 0], a[:, -1], a[::-1, 1]
            found = [first * last - behind, first + first * first, np.where(last > behind, 1, last)]
            found += [np.stack([last * 2, first + last], axis=1), first.astype("f4") + behind]
            a[:, 0] += a[:, 1] * 2
            a[::-1, 1] *= a[:, 0]
            a[::3, 2] = a[::3, 0] - a[::3, 2]
            return [*found, a]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for found, wanted in zip(run(hassium), run(numpy), strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(found), wanted)
