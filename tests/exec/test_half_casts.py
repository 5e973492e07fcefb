"""float64 becomes float16 in one rounding, at every level, and raises what NumPy's cast raises."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium as np

pytestmark = pytest.mark.usefixtures("simd_level")

HALVES = numpy.arange(1 << 16, dtype="u2").view("f2").astype("f8")
FINITE = numpy.sort(HALVES[numpy.isfinite(HALVES)])


def bits(x: Any) -> Any:
    return numpy.asarray(x).view("u2")


def test_every_half_and_what_lies_between() -> None:
    middle = (FINITE[:-1] + FINITE[1:]) / 2
    near = [numpy.nextafter(x, to) for x in (FINITE, middle) for to in (-numpy.inf, numpy.inf)]
    far = numpy.array([65519.99, 65520.0, 1e300, 1e-300, 5e-324, 1e-45, numpy.inf, numpy.nan])
    x = numpy.concatenate([FINITE, middle, *near, far, -far])
    with numpy.errstate(all="ignore"), np.errstate(all="ignore"):
        wanted = bits(x.astype("f2"))
        assert numpy.array_equal(bits(np.array(x).astype("f2")), wanted)
        assert numpy.array_equal(bits(np.array(x[::-1])[::-1].astype("f2")), wanted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the imaginary parts
            assert numpy.array_equal(
                bits(np.array(x + 0j).astype("f2")), bits((x + 0j).astype("f2"))
            )


@pytest.mark.parametrize(
    "value", [1.0, 0.1, 65519.0, 65520.0, 1e300, 1e-5, 1e-300, 0.0, "inf", "nan"]
)
def test_conditions(value: Any) -> None:
    def told(m: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught, m.errstate(all="warn"):
            warnings.simplefilter("always")
            numpy.asarray(m.array([1.0, float(value)] * 40).astype("f2"))
        return [str(w.message) for w in caught]

    assert told(np) == told(numpy)


@pytest.mark.parametrize("divide", ["remainder", "floor_divide", "fmod", "divmod"])
def test_quotients_of_halves(divide: str) -> None:
    with numpy.errstate(all="ignore"), np.errstate(all="ignore"):
        x = numpy.concatenate([FINITE[::13], [0.0, -0.0, numpy.inf, numpy.nan]]).astype("f2")
        y = numpy.random.default_rng(5).permutation(x)
        for a, b in ((x, y), (x, numpy.float16(0.3)), (numpy.float16(7.3), y)):
            given = [np.array(part) if part.ndim else part for part in (a, b)]
            found, wanted = getattr(np, divide)(*given), getattr(numpy, divide)(a, b)
            pairs = zip(found, wanted, strict=True) if divide == "divmod" else [(found, wanted)]
            for one, other in pairs:
                same = (bits(one) == bits(other)) | (numpy.isnan(one) & numpy.isnan(other))
                assert numpy.asarray(same).all()
