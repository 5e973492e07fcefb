"""Rows shorter than a tile of registers, run with tiles across them.

Every length of rows around those of registers and tiles, and numbers of rows around those of a
tile's registers. Results are exact; what is written in place is read first, and what lies beside
the rows is neither touched nor computed with.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from array_pairs import pair

pytestmark = pytest.mark.usefixtures("simd_level")

DTYPES = ["float64", "float32", "int64", "int32", "uint64", "uint32"]


def draw(shape: Any, seed: int, dtype: str = "float64") -> Any:
    return numpy.random.default_rng(seed).uniform(1, 9, shape).astype(dtype)


@pytest.mark.parametrize("first", range(1, 131, 10))
@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths(first: int, dtype: str) -> None:
    def program(np: Any, a: Any, b: Any) -> list[Any]:
        found = []
        for n in range(first, first + 10):
            x, y = a[:, 1 : n + 1], b[:, : n + 1]
            out = np.zeros_like(b)
            out[1:-1, 1 : n + 1] = (
                x[:-2] + x[2:] + x[1:-1] * y[1:-1, 1:] - a[1:-1, :n] * 2 + y[1:-1, :1] * y[0, 1:]
            )
            # In place, with one element for each row.
            out[:, 1 : n + 1] -= a[:, :1] * b[0, :n]
            x[...] = x * 3 + 1 - y[:, 1:]
            found += [out, a.copy()]
        return found

    pair(program, draw((19, 140), 1, dtype), draw((19, 140), 2, dtype))


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 12, 15, 16, 17, 23, 24, 40])
@pytest.mark.parametrize("n", [7, 8, 9, 16, 30, 44, 63, 64, 65, 100])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_numbers_of_rows(rows: int, n: int, dtype: str) -> None:
    def program(np: Any, a: Any, b: Any) -> list[Any]:
        x, y = a[:, 2 : n + 2], b[:, 3 : n + 3]
        wide = np.where(x > y, x - y, y) * 2 + np.maximum(x, y)
        counts = (x == y).astype(dtype) + (x < y)
        x += y * a[:, :1]
        y[...], x[...] = x - y, x + y
        x[::-1] -= wide
        return [a, b, wide, counts, x > wide, -x + abs(y) * 3]

    pair(program, draw((rows, n + 4), 3, dtype), draw((rows, n + 4), 4, dtype))


@pytest.mark.parametrize("n", [9, 30, 44])
@pytest.mark.parametrize("step", [(1, 2), (1, -1), (2, 1), (-1, 1), (3, 3)])
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex128", "int16", "bool"])
def test_layouts(n: int, step: tuple[int, int], dtype: str) -> None:
    def program(np: Any, a: Any, b: Any) -> list[Any]:
        x, y = a[:: step[0], :: step[1]][:9, :n], b[: len(a[:: step[0]]), :n][:9]
        out = x & y if dtype == "bool" else x * y + x
        x[1:, 1:] = out[:-1, :-1]
        y[:, 1:] = out[:, 1:] == x[:, 1:]
        return [out, a, b, y.T * x.T, np.broadcast_to(y[:1], y.shape) + x]

    pair(program, draw((30, 3 * n), 5, dtype), draw((30, 3 * n), 6, dtype))


@pytest.mark.parametrize("n", [10, 44, 46])
@pytest.mark.parametrize("threads", [1, 3])
def test_cubes(n: int, threads: int) -> None:
    def program(np: Any, u: Any) -> list[Any]:
        for _ in range(2):
            total = u[:-2, 1:-1, :-2] + u[2:, 2:, 2:]
            for k in range(3):
                total = total + u[k : n + k, k : n + k, 2 - k : n + 2 - k]
            u[1:-1, 1:-1, 1:-1] = total * 0.125
            u[1:, 1:, 1:-1] += u[1:, 1:, 1:-1] * u[1:, 1:, :1]
        return [u]

    with hassium.config(parallelize="on", threads=threads):
        pair(program, draw((n + 2, n + 2, n + 2), 7))


def test_mixed_sizes() -> None:
    def program(np: Any, a: Any, b: Any, c: Any) -> list[Any]:
        x, y, z = a[:, 1:45], b[:, 1:45], c[:, 1:45]
        both = x + y * 2
        x[...] = np.where(z > 4, x, y)
        y[...] = z
        return [a, b, both, (x > y) & (z == 3), (x * 3).astype("int64") + z]

    pair(program, draw((21, 50), 8), draw((21, 50), 9, "float32"), draw((21, 50), 10, "int64"))


def lines_of(shape: tuple[int, int]) -> tuple[int, int]:
    """How many rows of a sum of views ran with tiles across them, and how many on copies."""
    a = hassium.array(draw((shape[0] + 2, shape[1] + 2), 11))
    hassium.flush()
    hassium.reset_stats()
    total = a[:-2, 1:-1] + a[2:, 1:-1] - a[1:-1, 2:] * a[1:-1, :-2]
    a[1:-1, 1:-1] = total * 0.25
    hassium.flush()
    stats = hassium.stats()
    return int(stats["rows_outer_vectorized"]), int(stats["rows_packed"])


def test_short_rows_are_not_staged(simd_level: str) -> None:
    tile = {"v4": 64, "v3": 32}.get(simd_level, 16)
    for rows in (8, 9, 44):
        for n in (9, 30, 44, 63):
            across, staged = lines_of((rows, n))
            assert across >= rows or n >= tile
            assert staged == 0
    assert lines_of((44, 300)) == (0, 0)


@pytest.mark.parametrize("n", [8, 9, 23, 44, 63, 66])
def test_what_lies_beside_raises_nothing(n: int) -> None:
    """Zeros around the rows are divisors of nobody."""
    x = numpy.zeros((21, n + 9))
    x[2:19, 4 : n + 4] = draw((17, n), 12)
    with numpy.errstate(all="raise"):
        a = hassium.array(x)
        inside = a[2:19, 4 : n + 4]
        found = 1.0 / inside + inside
        inside /= inside * 2
        want = 1.0 / x[2:19, 4 : n + 4] + x[2:19, 4 : n + 4]
        numpy.testing.assert_array_equal(numpy.asarray(found), want)
        assert (numpy.asarray(inside) == 0.5).all()
    assert numpy.asarray(a).sum() == 0.5 * 17 * n


def test_rows_that_change_length() -> None:
    """One program for rows of all lengths: bound again to each, with tiles that fit."""

    def program(np: Any, a: Any) -> list[Any]:
        for k in range(a.shape[0] - 1):
            a[k + 1 :, k + 1 :] -= (a[k + 1 :, k] / 99).reshape(-1, 1) * a[k, k + 1 :]
        return [a]

    with hassium.config(verify=True):
        pair(program, draw((70, 70), 13))


@pytest.mark.parametrize("rows", [8, 9, 15, 23])
@pytest.mark.parametrize("tiles", [3, 4, 7, 8, 9])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_long_rows_in_place(rows: int, tiles: int, dtype: str) -> None:
    """Up to eight tiles; what waits at the ends of rows, and slots all along them."""

    def program(np: Any, a: Any, b: Any) -> list[Any]:
        for n in (n + 64 * 8 // a.itemsize * tiles for n in (-1, 0, 1, 7, 9, 31)):
            x, y = a[1:-1, 3 : n + 3], b[1:-1, 1 : n + 1]
            x -= y[:, :1] * y[0]
            kept = (x + y) * 2 - (x - y) * (y + 3)
            x[...] = kept * kept + x * y - kept
            x[...] = np.maximum(np.minimum(x - kept + y, 9), -9)
            y[...] = np.where(x < y, y, 5)
        return [a, b]

    width = 9 * 64 * 8 // numpy.dtype(dtype).itemsize + 64
    pair(program, draw((rows + 2, width), 7, dtype), draw((rows + 2, width), 8, dtype))
