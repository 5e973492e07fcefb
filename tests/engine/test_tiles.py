"""Chains of maps on register tiles: every length of a row, every way a row ends, every level.

Lengths lie around those of tiles (16 elements of float64 with the narrowest registers, 512 of int8
with the widest). Results are exact: all operations are.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair

LENGTHS = [1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 200, 511, 513, 700, 1500]


pytestmark = pytest.mark.usefixtures("simd_level")


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


def complex_numbers(n: int, seed: int, dtype: str) -> Any:
    return (floats(n, seed) + 1j * floats(n, seed + 1)).astype(dtype)


def whole_complex(n: int, seed: int, dtype: str) -> Any:
    """Small whole numbers: products and sums are exact in any order."""
    return complex_numbers(n, seed, dtype).round()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_numbers(n: int, dtype: str) -> None:
    def program(np: Any, x: Any, y: Any, r: Any) -> list[Any]:
        t = (x + y) * (x - 1.5j) - x * x
        u = np.where(t == x * y, y, -t.conj())
        v = (t * 0.5j + r) * r
        w = t.astype("complex64") * y.astype("complex64")
        return [t, u, v, w, np.square(x) != t, t.real * u.imag, (v.astype("complex128") + w).imag]

    x, y = complex_numbers(n, 31, dtype), complex_numbers(n, 33, dtype)
    y[::3] = x[::3] - 1.5j
    pair(program, x, y, floats(n, 35, "float32"))


def bits(array: Any) -> bytes:
    """Of which nan is left open."""
    parts = array.view(array.real.dtype)
    parts[numpy.isnan(parts)] = numpy.nan
    return bytes(parts.tobytes())


def squares(np: Any, z: Any, c: Any, x: Any, y: Any) -> list[Any]:
    t = z * z + c
    u = c + z * z
    v = (t * t + t) * (z * z)
    near = x * x + y * y
    apart = x[::2] * x[::2] + y[::2] * y[::2]
    again = y * y
    more = again + np.square(near) + again
    some = np.where(near < 9.0, near, x)
    found = [t, u, v, near, apart, more, some * some + x * x, x * x + x * x, z * z + 0.5, t.real]
    inside = near < 4.0
    for _ in range(3):
        z = np.where(inside, z * z + c, z)
        inside = z.real * z.real + z.imag * z.imag < 4.0
    part = np.where(inside, z * z + c, z).imag
    other = np.where(inside, z, z * z + c)
    z *= np.where(x < y, z * z + c, z)
    return [*found, z, part, other, np.where(y[::2] < 1, z[::2] * z[::2] + c[::2], z[::2])]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_squares(n: int, dtype: str) -> None:
    real = "float64" if dtype == "complex128" else "float32"
    values = [complex_numbers(n, 41, dtype), complex_numbers(n, 43, dtype)]
    values += [floats(n, 45, real), floats(n, 47, real)]
    values[0][n // 2] = complex(numpy.inf, -0.0)
    values[1][n // 3] = complex(numpy.nan, 1e30)
    values[2][n // 2] = numpy.nan

    def found() -> list[bytes]:
        with hassium.errstate(all="ignore"):
            results = squares(hassium, *(hassium.array(value) for value in values))
            return [bits(numpy.array(result)) for result in results]

    with hassium.config(executor="reference"):
        wanted = found()
    assert found() == wanted


@pytest.mark.parametrize("n", LENGTHS)
def test_squares_that_nobody_reads_raise_once(n: int) -> None:
    x = hassium.array(numpy.full(n, 1e200))
    with pytest.warns(RuntimeWarning, match="overflow"):
        numpy.asarray((x * x + x * x) < 0)


@pytest.mark.parametrize("near", [False, True])
def test_squares_that_are_not_chosen_raise(near: bool) -> None:
    """As in NumPy, which computes them before it chooses: here the addition overflows, not the
    square before it."""
    z = hassium.array(numpy.full(200, 1.3e154 + 0j))
    c = hassium.array(numpy.full(200, 1.7e308 + 0j))
    chosen = z.real * z.real + z.imag * z.imag < 4.0 if near else z.real < 0.0
    with pytest.warns(RuntimeWarning, match="overflow"):
        found = numpy.asarray(hassium.where(chosen, z * z + c, z))
    assert (found == 1.3e154).all()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["complex128", "float32", "int16", "bool"])
def test_one_mask_for_all(n: int, dtype: str) -> None:
    def program(np: Any, x: Any, y: Any, limits: Any) -> list[Any]:
        above = limits[0] < limits[1]
        one = np.where(above, x + y, x)
        two = np.where(limits[1:] < limits[:1], one * y, y)
        return [np.where(above, one, two), np.where(np.array(False), two, one) * two]

    x, y = whole_complex(n, 71, "complex128"), whole_complex(n, 73, "complex128")
    parts = [v if dtype == "complex128" else v.real.astype(dtype) for v in (x, y)]
    pair(program, *parts, numpy.array([1.0, 2.0]))


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_special_complex_numbers(dtype: str) -> None:
    values = [0.0, -0.0, 1.0, -2.5, numpy.inf, -numpy.inf, numpy.nan, 1e30, 1e-30]
    x = numpy.array([complex(a, b) for a in values for b in values], dtype=dtype)

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        with np.errstate(all="ignore"):
            t = x * y
            return [t, (t + x) - y, np.where(t.real < t.imag, t, -y), np.signbit(t.imag)]

    for shift in range(x.size):
        pair(program, x, numpy.roll(x, shift))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_parts_in_one_block(n: int, dtype: str) -> None:
    """Parts of a value that the block computes, and of an array that it overwrites."""

    def program(np: Any, z: Any, c: Any) -> list[Any]:
        counted = np.zeros(n)
        for _ in range(3):
            inside = z.real * z.real + z.imag * z.imag < 4.0
            counted = counted + inside
            z = np.where(inside, z * z + c, z)
        kept = c.imag - c.real
        c *= z
        return [counted, z, kept, c, c.real * 2.0, np.asarray(c.real.sum()), np.asarray(c.sum())]

    pair(program, whole_complex(n, 41, dtype), whole_complex(n, 43, dtype))


def test_parts_are_read_from_the_value() -> None:
    """The array between never exists, and the iterations of a loop are one block."""
    z, c = (hassium.array(complex_numbers(1000, seed, "complex128")) for seed in (51, 53))
    hassium.flush()
    hassium.reset_stats()
    for _ in range(5):
        z = hassium.where(z.real * z.real + z.imag * z.imag < 4.0, z * z + c, z)
    found = numpy.asarray(z)
    stats = hassium.stats()
    assert stats["blocks"] == 1
    assert numpy.isfinite(found).all()


@pytest.mark.parametrize("rows", [5, 40])
def test_parts_of_rows(rows: int) -> None:
    def program(np: Any, z: Any) -> list[Any]:
        z[1:-1, ::2] *= 2.0 - 1j
        view = z[1:-1, ::2]
        total = view.real + view.imag
        z[1:-1, ::2] += total
        w = z.T * 2.0
        return [z, total, w.real - w.imag, (z * z).imag.sum(axis=1), (z * z).real.sum(axis=0)]

    pair(program, whole_complex(rows * 90, 61, "complex128").reshape(rows, 90))


def test_the_other_part_is_no_hit() -> None:
    """Programs that differ in sizes and in which part they read: each reads its own."""
    for n in range(300, 280, -1):
        z = complex_numbers(n, n, "complex128")
        found, expected = [], []
        for np, results in ((hassium, found), (numpy, expected)):
            w = np.array(z) * 2.0
            results.append(np.abs((w.real if n % 3 else w.imag) - 1.0))
        hassium.flush()
        numpy.testing.assert_array_equal(numpy.asarray(found[0]), expected[0])


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
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_many_steps_with_masks(n: int, dtype: str) -> None:
    """Masks of every step are wanted by the next and by a sum that is stored last."""

    def program(np: Any, c: Any) -> list[Any]:
        z, count = np.zeros_like(c), np.zeros(c.shape)
        for _ in range(12):
            inside = z.real * z.real + z.imag * z.imag < 4.0
            count = count + inside
            z = np.where(inside, z * z + c, z)
        return [count, z]

    pair(program, (floats(n, 25) / 2 + 1j * floats(n, 26) / 2).astype(dtype))


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
        with hassium.config(direct_elements=0):
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
