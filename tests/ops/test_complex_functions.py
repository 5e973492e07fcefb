"""Exponentials, logarithms and whole powers of complex numbers, element by element."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = {"complex64": numpy.float32, "complex128": numpy.float64}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 1e-310, -1e-30, 710.0, -750.0, numpy.inf, -numpy.inf, numpy.nan]


def numbers(dtype: str, count: int, seed: int) -> Any:
    draw = numpy.random.default_rng(seed)
    size = 10.0 ** draw.uniform(-12, 1.9, count)
    z = size * numpy.exp(1j * draw.uniform(-4, 4, count))
    z[::5] /= abs(z[::5])  # the logarithm of the length is nearly 0
    z[1::7] = z[1::7].real
    z[2::7] = 1j * z[2::7].imag
    return z.astype(dtype)


def errors(found: Any, exact: Any, part: type) -> Any:
    """Of both parts, in units of the last place."""
    pairs = ((found.real, exact.real), (found.imag, exact.imag))
    return numpy.array(
        [abs(f - e) / numpy.spacing(abs(e).astype(part)).astype(numpy.longdouble) for f, e in pairs]
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "log"])
@pytest.mark.parametrize("count", [1, 3, 4, 7, 100, 4099])
def test_parts_are_right_to_two_units(name: str, dtype: str, count: int) -> None:
    z = numbers(dtype, count, count)
    found = numpy.asarray(getattr(np, name)(np.asarray(z)))
    assert found.dtype == dtype
    exact = getattr(numpy, name)(z.astype(numpy.clongdouble))
    assert errors(found, exact, DTYPES[dtype]).max() <= 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "log", "exp2", "log2", "log10"])
def test_special_numbers_are_numpys_among_ordinary_ones(name: str, dtype: str) -> None:
    re, im = numpy.meshgrid(SPECIAL, SPECIAL)
    z = numpy.full((re.size, 3), 0.5 + 0.25j, dtype)
    z[:, 1].real, z[:, 1].imag = re.ravel(), im.ravel()
    with numpy.errstate(all="ignore"):
        expected = getattr(numpy, name)(z)
        found = numpy.asarray(getattr(np, name)(np.asarray(z)))
    for a, b in ((found.real, expected.real), (found.imag, expected.imag)):
        numpy.testing.assert_allclose(a, b, rtol=4 * numpy.finfo(dtype).eps, atol=0)
        zero = (a == 0) & (b == 0)
        assert numpy.array_equal(numpy.signbit(a[zero]), numpy.signbit(b[zero]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_and_fused_numbers(dtype: str) -> None:
    z = numbers(dtype, 600, 1).reshape(20, 30)
    x = np.asarray(z)
    tolerance = 8 * numpy.finfo(dtype).eps
    for view in (numpy.s_[::-2, 1::3], numpy.s_[:, 4], numpy.s_[3, ::-1]):
        numpy.testing.assert_allclose(np.exp(x[view] * 1j), numpy.exp(z[view] * 1j), tolerance)
    numpy.testing.assert_allclose(np.log(x.T + 3) * 2, numpy.log(z.T + 3) * 2, tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", [1, 3, 4, 7, 99, -1, -3, 0, 0.5, 100])
def test_powers_have_numpys_bits(exponent: float, dtype: str) -> None:
    z = numbers(dtype, 133, 2)
    z[3:5] = 0, -0.0
    z[6] = complex(numpy.inf, 1)
    z[9] = complex(-0.0, 2)
    with numpy.errstate(all="ignore"):
        expected = z**exponent
        found = numpy.asarray(np.asarray(z) ** exponent)
    assert numpy.array_equal(found.view("u1"), expected.view("u1"))


def test_logarithm_of_zero_warns() -> None:
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        numpy.asarray(np.log(np.zeros(9, complex)))
    with numpy.errstate(all="raise", under="ignore"):
        numpy.asarray(np.exp(np.asarray(numbers("complex128", 64, 3))))
        numpy.asarray(np.log(np.asarray(numbers("complex128", 64, 4))))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_named_for_their_own_conditions(dtype: str) -> None:
    huge = np.full(200, numpy.finfo(dtype).max * (1 + 1j), dtype)
    with numpy.errstate(all="raise"):
        assert numpy.isinf(numpy.asarray(abs(huge))).all()

    def one_block() -> None:
        with np.config(eager_elements=0):
            numpy.asarray(huge * 0.5 + np.ones(200, dtype) / np.zeros(200, dtype))

    with pytest.warns(RuntimeWarning) as caught:
        one_block()
    assert not any("divide by zero encountered in multiply" in str(w.message) for w in caught)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_what_is_not_a_number_is_compared(dtype: str) -> None:
    special = [1.0, numpy.nan, numpy.inf]
    if dtype in "FD":
        special += [complex(1, numpy.nan), 1j, complex(1, numpy.inf), 0.0]

    def warned(m: Any, name: str, values: tuple[complex, ...]) -> list[str]:
        operands = [m.array([value] * 100, dtype) for value in values]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            numpy.asarray(getattr(m, name)(*operands))
        return [str(w.message) for w in caught]

    for name in ("divide",) if dtype in "FD" else ("logaddexp", "logaddexp2"):
        for values in itertools.product(special, special):
            assert warned(np, name, values) == warned(numpy, name, values), (name, values)
    if dtype in "FD":
        for value in special:
            assert warned(np, "reciprocal", (value,)) == warned(numpy, "reciprocal", (value,))
