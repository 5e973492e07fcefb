"""Complex numbers, their parts and squares, and masks over them on register tiles.

Results are exact where numbers are whole: all operations are.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair
from tile_rows import LENGTHS, floats

pytestmark = pytest.mark.usefixtures("simd_level")


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
