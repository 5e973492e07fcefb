"""Powers to multiples of a half: rounded well, and the same bits wherever they stand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium as np
from simd_levels import LEVELS


def bases(dtype: str, count: int = 20_000) -> Any:
    random = numpy.random.default_rng(11)
    return (random.standard_normal(count) * numpy.exp2(random.integers(-12, 13, count))).astype(
        dtype
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5, 6, 7, 11, 16, 31, 33, 63, 64, 65])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("half", [0, 0.5])
@pytest.mark.parametrize("level", LEVELS)
def test_powers_are_rounded_well(
    level: str, half: float, sign: int, exponent: float, dtype: str
) -> None:
    x = bases(dtype)
    if half:
        x = numpy.abs(x)
        exponent = exponent - half
    exponent = sign * exponent
    exact = numpy.abs(x).astype(numpy.longdouble) ** int(abs(exponent))
    if half:
        exact *= numpy.sqrt(x.astype(numpy.longdouble))
    elif exponent % 2:
        exact = numpy.copysign(exact, x)
    if sign < 0:
        exact = 1 / exact
    with numpy.errstate(over="ignore", under="ignore"), np.errstate(over="ignore", under="ignore"):
        with np.config(simd=level):
            got = numpy.asarray(np.array(x) ** float(exponent))
        rounded = exact.astype(dtype)
    ordinary = numpy.isfinite(rounded) & (numpy.abs(rounded) >= numpy.finfo(dtype).tiny)
    unit = numpy.spacing(numpy.abs(rounded[ordinary]))
    assert ordinary.sum() > 1000
    assert float((numpy.abs(got[ordinary] - exact[ordinary]) / unit).max()) <= 0.6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_the_neighbours(dtype: str) -> None:
    random = numpy.random.default_rng(12)
    x = numpy.abs(bases(dtype, 2000))
    y = (random.integers(-3, 9, x.size) + random.choice([0, 0, 0.5, 0.3], x.size)).astype(dtype)
    x[::97], y[::89] = numpy.exp2(400.0 if dtype == "float64" else 60.0), numpy.inf
    with np.errstate(all="ignore"):
        together = numpy.asarray(np.power(np.array(x), np.array(y)))
        for k in range(x.size):
            alone = numpy.asarray(np.power(np.full(33, x[k]), np.full(33, y[k])))
            assert (alone.view("u1") == together[k : k + 1].repeat(33).view("u1")).all(), k


@pytest.mark.parametrize(
    "special", [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e200, -1e-200, 5e-324, -2.0]
)
@pytest.mark.parametrize("exponent", [2.0, 3.0, 4.0, 63.0, 1.5, -1.0, -2.0, -3.0, -0.5, -2.5])
def test_special_bases_are_numpys(special: float, exponent: float) -> None:
    def outcome(library: Any) -> str:
        with library.errstate(all="raise"):
            try:
                return repr(float(library.power(library.array([special, 1.0]), exponent)[0]))
            except FloatingPointError as error:
                return str(error).split("] ")[-1]

    assert outcome(np) == outcome(numpy)


@pytest.mark.parametrize("exponent", [-1, numpy.int64(-2), numpy.array([-1])], ids=repr)
@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(0,), (0, 1), (3, 0, 1)])
def test_no_element_has_no_negative_power(
    shape: tuple[int, ...], dtype: str, exponent: Any
) -> None:
    """Negative powers of integers are refused where there is an element to raise."""
    wanted = numpy.zeros(shape, dtype) ** exponent
    found = np.zeros(shape, dtype) ** (np.array(exponent) if numpy.ndim(exponent) else exponent)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power(np.ones(1, dtype), exponent)


def test_exponents_beyond_int64_are_no_reciprocals() -> None:
    for values in ([0.5, -1.0, 2.0], [0.5 + 1j, -1.0, 2.0]):
        theirs, ours = numpy.array(values), np.array(values)
        with numpy.errstate(all="ignore"), np.errstate(all="ignore"):
            found = numpy.asarray(ours**2**70)
            assert numpy.array_equal(found, theirs**2**70, equal_nan=True)
    with pytest.raises(OverflowError):
        np.array([2.0]) ** 2**2000


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("exponent", [2.0, -1.0, 0.5, 2, -1])
def test_complex_powers_take_the_rows_that_numpy_takes(dtype: str, exponent: float) -> None:
    parts = [0.0, -0.0, numpy.inf, numpy.nan, 1.0, -1.0, 1e30, 1e-30, 0.3]
    values = numpy.array([complex(a, b) for a in parts for b in parts], dtype)
    with numpy.errstate(all="ignore"), np.errstate(all="ignore"):
        wanted, found = values**exponent, numpy.asarray(np.array(values) ** exponent)
    real = numpy.dtype(dtype.lower())
    same = found.view(f"i{real.itemsize}") == wanted.view(f"i{real.itemsize}")
    nans = numpy.isnan(found.view(real)) & numpy.isnan(wanted.view(real))
    assert (same | nans).all()


MASKED: list[tuple[Any, Any]] = [
    ([1, -1, 2], [True, False, True]),
    ([1, -1, 2], [False, True, True]),
    ([1, -1, 2], False),
    ([-1], [False, False, False]),
    ([1, -1, 2], [[True, False, True], [True, False, False]]),
    (-1, [False, False, False]),
    (-1, [False, False, True]),
]


@pytest.mark.parametrize(("exponents", "mask"), MASKED, ids=str)
def test_exponents_that_a_mask_leaves_out_may_be_negative(exponents: Any, mask: Any) -> None:
    def outcome(m: Any) -> Any:
        where = m.array(mask)
        out = m.zeros(m.broadcast_shapes((3,), where.shape), int)
        given = exponents if isinstance(exponents, int) else m.array(exponents)
        try:
            return m.power(m.array([2, 3, 4]), given, where=where, out=out).tolist()
        except ValueError as error:
            return type(error)

    assert outcome(np) == outcome(numpy)


@pytest.mark.parametrize(
    "call",
    [
        "m.power(m.array([2.5, 3.0]), m.array([1.5, -2.0]), dtype='i4', casting='unsafe')",
        "m.power(m.array([2.5, 3.0]), m.array([1.5, -0.5]), dtype='i4', casting='unsafe')",
        "m.power.accumulate(m.array([2.5, -3.0, 1.0]), dtype='i4')",
        "m.power.reduce(m.array([2.5, 3.0, -1.0]), dtype='i4')",
        "m.power.reduce(m.array([2, 3, 0]), dtype='i8')",
    ],
)
def test_exponents_are_looked_at_as_the_integers_that_they_become(call: str) -> None:
    def outcome(m: Any) -> Any:
        try:
            return eval(call, {"m": m}).tolist()
        except ValueError as error:
            return type(error)

    assert outcome(np) == outcome(numpy)


@pytest.mark.parametrize("exponent", [2, 1, 0, -1, 2.0, 1.0, 0.0, 0.5, -1.0, numpy.float64(2)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "c16", "?"])
@pytest.mark.parametrize("call", ["power", "**", "**="])
def test_powers_that_numpy_takes_apart_are_its_own(dtype: str, exponent: Any, call: str) -> None:
    special = [0.0, -0.0, 1.0, -1.0, 4.0, -4.0, 60000.0, 1e-7, 1e200, numpy.inf, -numpy.inf]
    with numpy.errstate(all="ignore"):
        base = numpy.array(special if dtype[0] in "fc" else [0, 1, 2, 3, 200]).astype(dtype)

    def run(m: Any) -> Any:
        a = m.array(base)
        with warnings.catch_warnings(record=True) as caught, m.errstate(all="warn"):
            warnings.simplefilter("always")
            try:
                found = a**exponent if call == "**" else m.power(a, exponent)
                if call == "**=":
                    a **= exponent
                    found = a
                found = numpy.asarray(found)
            except (TypeError, ValueError, OverflowError) as error:
                return [kind for kind in (TypeError, ValueError) if isinstance(error, kind)]
        return found.dtype, repr(found.tolist()), {str(w.message) for w in caught}

    assert run(np) == run(numpy)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_to_the_power_of_integers(dtype: str, level: str) -> None:
    draw = numpy.random.default_rng(13)
    x = draw.integers(-9 if dtype[0] == "i" else 0, 10, 1003).astype(dtype)
    y = draw.integers(0, 70, 1003).astype(dtype)
    with np.config(simd=level):
        for a, b in ((x, y), (x[:1], y), (x, y[:1]), (x[:5], y[:5]), (x[::3], y[::-3])):
            found = numpy.asarray(np.power(np.array(a), np.array(b)))
            assert numpy.array_equal(found, numpy.power(a, b))
        some = draw.integers(0, 2, 1003).astype(bool)
        if dtype[0] == "i":  # a mask may leave negative exponents out
            y[~some] = -3
        out = np.zeros(1003, dtype)
        np.power(np.array(x), np.array(y), where=np.array(some), out=out)
        assert numpy.array_equal(numpy.asarray(out)[some], numpy.power(x[some], y[some]))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_every_lane_has_an_exponent_of_its_own(dtype: str, level: str) -> None:
    draw = numpy.random.default_rng(14)
    x = bases(dtype, 3000)
    x[::50], x[25::50], x[7::99], x[9::99] = 0.0, -0.0, numpy.inf, numpy.finfo(dtype).tiny
    y = (draw.integers(-140, 141, 3000) / 2).astype(dtype)
    y[11::17], y[12::31], y[13::41] = 0.3, 0.0, 1e9
    one = numpy.asarray
    with np.config(simd=level), np.errstate(all="ignore"), numpy.errstate(all="ignore"):
        together = one(np.power(np.array(x), np.array(y)))
        for k in range(0, x.size, 3):
            alone = one(np.power(np.full(33, x[k]), np.full(33, y[k])))
            assert numpy.array_equal(alone[:1], together[k : k + 1], equal_nan=True), (x[k], y[k])
        assert numpy.allclose(together, numpy.power(x, y), rtol=1e-5, atol=0, equal_nan=True)


EXPONENTS = (-4.0, -3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 0.3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_powers_in_range_raise_nothing_beside_others(dtype: str, level: str) -> None:
    """What lanes compute for the exponent of another one may overflow."""
    most = numpy.finfo(dtype).max
    draw = numpy.random.default_rng(5)
    with np.config(simd=level), np.errstate(all="raise", under="ignore"):
        for decade in range(0, 300 if dtype == "f8" else 37, 3):
            base = numpy.full(64, 10.0**decade, dtype)
            exponents = draw.choice(EXPONENTS, 64).astype(dtype)
            safe = numpy.abs(decade * exponents) < numpy.log10(most) - 1
            exponents[~safe] = 1.0
            found = np.power(np.array(base), np.array(exponents))
            numpy.testing.assert_allclose(found, numpy.power(base, exponents), rtol=1e-6)
