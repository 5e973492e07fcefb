"""Long functions between other operations run on tiles, alone as loops: both make the same bits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium

pytestmark = pytest.mark.usefixtures("simd_level")

TILED = "exp exp2 expm1 log log2 log10 log1p sin cos arcsin arccos arctan".split()
LOOPS = "tan sinh cosh tanh arcsinh arccosh arctanh cbrt".split()
SPECIALS = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e-310, 1e-30, 700, -745, 1e6, 1e300]
SPECIALS += [numpy.inf, -numpy.inf, numpy.nan, -numpy.nan]


def drawn(dtype: str, size: int, special: float) -> Any:
    draw = numpy.random.default_rng(size)
    x = draw.uniform(0.1, 0.9, size)
    where = draw.random(size) < special
    x[where] = draw.choice(SPECIALS, numpy.count_nonzero(where))
    with numpy.errstate(all="ignore"):
        return x.astype(dtype)


def raised(categories: list[warnings.WarningMessage]) -> set[str]:
    return {str(w.message).split(" encountered")[0] for w in categories}


def between(name: str, x: Any) -> tuple[Any, set[str]]:
    """The function between two operations that change nothing, in one flush."""
    one = numpy.array(1, dtype=x.dtype)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = getattr(hassium, name)(hassium.array(x) * one) * one
        return numpy.asarray(y), raised(caught)


def alone(name: str, x: Any) -> tuple[Any, set[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return numpy.asarray(getattr(hassium, name)(hassium.array(x))), raised(caught)


def same_bits(a: Any, b: Any) -> None:
    assert a.dtype == b.dtype
    bits = f"u{a.itemsize}"
    where = numpy.flatnonzero(a.view(bits) != b.view(bits))
    assert where.size == 0, (where[:5], a[where[:5]], b[where[:5]])


@pytest.mark.parametrize("name", TILED + LOOPS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("special", [0, 0.003, 0.3])
def test_the_bits_and_conditions_of_the_loop(name: str, dtype: str, special: float) -> None:
    for size in (1, 3, 16, 63, 64, 65, 127, 500, 5000):
        x = drawn(dtype, size, special)
        found, conditions = between(name, x)
        wanted, expected = alone(name, x)
        same_bits(found, wanted)
        # The operations around it raise nothing, but for float16, which is rounded between them.
        if dtype != "f2":
            assert {c.split(" in ")[0] for c in conditions} == {
                c.split(" in ")[0] for c in expected
            }


@pytest.mark.parametrize("name", [*TILED, *LOOPS, "power", "arctan2", "hypot", "logaddexp"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_special_neighbours_change_no_bits(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(5)
    two = name in ("power", "arctan2", "hypot", "logaddexp")
    x, y = draw.uniform(0.01, 1, (2, 200_000)).astype(dtype)
    if name == "arccosh":
        x += x.dtype.type(1)
    with numpy.errstate(all="ignore"):
        special = draw.choice(numpy.array(SPECIALS).astype(dtype), x.size)
    mixed = numpy.where(numpy.arange(x.size) % 7 == 3, special, x)
    function = getattr(hassium, name)
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        more = (hassium.array(y),) if two else ()
        wanted = numpy.asarray(function(hassium.array(x), *more))
        found = numpy.asarray(function(hassium.array(mixed), *more))
    where = mixed == x
    same_bits(found[where], wanted[where])


@pytest.mark.parametrize("name", TILED)
def test_in_chains_of_wider_elements(name: str) -> None:
    x = drawn("f4", 1003, 0.05)
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        y = numpy.asarray(getattr(hassium, name)(hassium.array(x) * numpy.float32(1)) * 1.0)
        wide = getattr(hassium, name)(hassium.array(x) * numpy.float32(1))
        mixed = numpy.asarray(wide.astype("f8") * numpy.float64(1))
        wanted = numpy.asarray(getattr(hassium, name)(hassium.array(x)))
    same_bits(y, wanted)
    same_bits(mixed, wanted.astype("f8"))


@pytest.mark.parametrize("shape", [(40, 3), (7, 13), (50, 64), (3, 1000), (4, 5, 6)])
@pytest.mark.parametrize("axis", [-1, 0])
def test_softmax_of_any_rows(shape: tuple[int, ...], axis: int) -> None:
    def softmax(np: Any, x: Any) -> Any:
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    x = numpy.random.default_rng(0).standard_normal(shape)
    x.ravel()[::17] = -numpy.inf
    found = numpy.asarray(softmax(hassium, hassium.array(x)))
    numpy.testing.assert_allclose(found, softmax(numpy, x), rtol=1e-14, atol=0)


def test_steps_on_strided_and_reversed_arrays() -> None:
    x = drawn("f8", 4000, 0.01)
    for view in (x[::2], x[::-1], x[1::3], x.reshape(40, 100).T, x.reshape(40, 100)[:, ::-2]):
        with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
            found = numpy.asarray(hassium.log1p(hassium.asarray(view) * 1.0) * 1.0)
            wanted = numpy.asarray(hassium.log1p(hassium.array(view.copy())))
        same_bits(found.ravel(), wanted.ravel())


def test_a_result_does_not_take_the_slot_of_a_narrower_input() -> None:
    """The mask lies where a logarithm of elements twice as wide was: the choice goes elsewhere."""

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        return [np.log2(np.log(x)), np.where(x > x, x, x * 0.5) - np.absolute(y)]

    x, y = numpy.random.default_rng(0).uniform(0.1, 0.9, (2, 17, 65)).astype("f2")
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        found = program(hassium, hassium.array(x), hassium.array(y))
        wanted = program(numpy, x, y)
    same_bits(numpy.asarray(found[1]), wanted[1])
