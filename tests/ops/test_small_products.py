"""Products of many small matrices and of matrices of integers, which are not left to BLAS."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy
import pytest

import hassium as np
from simd_levels import LEVELS

STACKS = [
    ((9, 3, 3), (9, 3, 3)),
    ((9, 2, 5), (9, 5, 4)),
    ((3, 3), (9, 3, 1)),
    ((9, 1, 3), (3, 3)),
    ((2, 1, 4, 3), (5, 3, 8)),
    ((9, 3, 3), (3,)),
    ((3,), (9, 3, 3)),
    ((4, 17, 20), (4, 20, 31)),
    ((4, 5, 1), (4, 1, 5)),
    ((0, 3, 3), (0, 3, 3)),
    ((9, 3, 0), (9, 0, 3)),
    ((1, 3, 3), (3, 3)),
    ((33, 34), (34, 35)),
    ((7, 9), (9,)),
    ((9,), (9, 7)),
]
LIES: dict[str, Callable[[Any], Any]] = {
    "as made": lambda a: a,
    "columns": lambda a: a.swapaxes(-1, -2).copy().swapaxes(-1, -2) if a.ndim > 1 else a,
    "apart": lambda a: a.repeat(2, axis=-1)[..., ::2],
    "backward": lambda a: a[..., ::-1].copy()[..., ::-1],
}


def values(dtype: str, shape: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
    """Small whole numbers, of which every product is exact."""
    r = numpy.random.default_rng(len(shape))
    made = r.integers(0, 2 if dtype == "?" else 9, shape)
    return (made + (1j * made[..., ::-1] if dtype[0] == "c" else 0)).astype(dtype)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]
)
@pytest.mark.parametrize("simd", LEVELS)
def test_products_are_numpys(dtype: str, simd: str) -> None:
    for left, right in STACKS:
        for first, second in itertools.product(LIES.values(), repeat=2):
            a, b = first(values(dtype, left)), second(values(dtype, right))
            x, y = first(np.array(values(dtype, left))), second(np.array(values(dtype, right)))
            wanted = a @ b
            for direct in (0, 16384):
                with np.config(simd=simd, eager_elements=direct, threads=1 + direct % 3):
                    found = numpy.asarray(x @ y)
                    assert found.dtype == wanted.dtype
                    numpy.testing.assert_array_equal(found, wanted, str((left, right)))
                    into = np.full(wanted.shape, 7, wanted.dtype)
                    np.matmul(x, y, out=into)
                    numpy.testing.assert_array_equal(numpy.asarray(into), wanted)


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16"])
def test_matrices_with_vectors_of_a_stack(dtype: str) -> None:
    a, v = values(dtype, (9, 3, 4)), values(dtype, (9, 4))
    x, y = np.array(a), np.array(v)
    numpy.testing.assert_array_equal(np.matvec(x, y), numpy.matvec(a, v))
    w = values(dtype, (9, 3)) * (1 + 2j if dtype[0] == "c" else 1)
    numpy.testing.assert_array_equal(np.vecmat(np.array(w), x), numpy.vecmat(w, a))


def test_large_products_of_integers_wrap_as_numpys_do() -> None:
    r = numpy.random.default_rng(1)
    a = r.integers(-(2**62), 2**62, (150, 90))
    b = r.integers(-(2**62), 2**62, (90, 110))
    x, y = np.array(a), np.array(b)
    for threads in (1, 2, 3, 7):
        with np.config(threads=threads):
            numpy.testing.assert_array_equal(x @ y, a @ b)
            numpy.testing.assert_array_equal(y.T @ x.T, b.T @ a.T)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_every_level_and_number_of_threads_has_the_same_bits(dtype: str) -> None:
    r = numpy.random.default_rng(2)

    def normal(*shape: int) -> Any:
        made = r.standard_normal(shape) + (1j * r.standard_normal(shape) if dtype[0] == "c" else 0)
        return np.array(made.astype(dtype))

    for a, b in [
        (normal(2000, 3, 3), normal(2000, 3, 3)),
        (normal(500, 3, 2), normal(500, 2, 1)),
        (normal(60, 3, 3).swapaxes(1, 2), normal(3, 3)),
        (normal(300, 20, 30), normal(300, 30, 10)),
    ]:
        known = set()
        for simd, threads in itertools.product(LEVELS, (1, 2, 3)):
            with np.config(simd=simd, threads=threads):
                known.add(numpy.asarray(a @ b).tobytes())
        with np.config(executor="reference"):
            known.add(numpy.asarray(a @ b).tobytes())
        small = dtype[0] == "f" or a.shape[-1] <= 3
        assert len(known) == 1 or not small


def test_sums_round_once_a_step() -> None:
    """a * b is exact where the sum is formed, in the order of the inner axis."""
    r = numpy.random.default_rng(3)
    a, b = r.standard_normal((40, 3, 5)), r.standard_normal((40, 5, 4))
    found = numpy.asarray(np.array(a) @ np.array(b))
    for n, i, j in itertools.product(range(40), range(3), range(4)):
        total = 0.0
        for k in range(5):
            exact = Fraction(a[n, i, k]) * Fraction(b[n, k, j]) + Fraction(total)
            total = exact.numerator / exact.denominator
        assert found[n, i, j] == total


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 9])
def test_registers_that_are_not_full_raise_nothing(columns: int) -> None:
    a, b = np.full((50, 3, 3), np.inf), np.ones((50, 3, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numpy.isposinf(numpy.asarray(a @ b)).all()
    with pytest.warns(RuntimeWarning, match="invalid value encountered in matmul"):
        (a @ (b * 0.0)).tolist()
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        ((b.swapaxes(1, 2) * 1e200) @ (b * 1e200)).tolist()


def test_a_product_into_one_of_its_stacks() -> None:
    a = numpy.arange(90.0).reshape(10, 3, 3)
    x = np.array(a)
    np.matmul(x[1:], x[:-1], out=x[:-1])
    wanted = a.copy()
    numpy.matmul(wanted[1:], wanted[:-1], out=wanted[:-1])
    numpy.testing.assert_array_equal(numpy.asarray(x), wanted)
