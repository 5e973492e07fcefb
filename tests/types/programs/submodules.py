"""NumPy's modules by attribute and by import."""

from __future__ import annotations

import numpy as np
import numpy.linalg as la
import numpy.typing as npt
from numpy import fft, float64, int32, ndarray, random
from numpy.lib.stride_tricks import sliding_window_view
from numpy.linalg import LinAlgError, norm
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose


def solve(a: npt.NDArray[float64], b: npt.ArrayLike) -> npt.NDArray[float64]:
    try:
        return la.solve(a, np.asarray(b, dtype=float64))
    except LinAlgError:
        raise ValueError("singular") from None


def draw(rng: Generator, n: int) -> npt.NDArray[float64]:
    return rng.normal(size=n)


def shape_of(a: ndarray, dtype: npt.DTypeLike) -> tuple[int, ...]:
    return a.astype(dtype).shape


reveal_type(np.linalg.svd(np.eye(3)))
reveal_type(la.eigh(np.eye(3)))
reveal_type(norm(np.ones(3)))
reveal_type(fft.rfft(np.ones(8)))
reveal_type(np.fft.fftfreq(8))
reveal_type(default_rng(1).integers(0, 5, size=3))
reveal_type(random.default_rng)
reveal_type(Polynomial([1.0, 2.0]).deriv())
reveal_type(polyval(0.5, [1.0, 2.0]))
reveal_type(sliding_window_view(np.arange(5), 3))
reveal_type(np.ma.masked_array([1.0, 2.0], mask=[True, False]).mean())
reveal_type(np.lib.stride_tricks.as_strided)
reveal_type(np.strings.upper(np.array(["a"])))
reveal_type(np.testing.assert_array_equal)
reveal_type(np.typing.NDArray)
reveal_type(np.exceptions.AxisError)
assert_allclose(draw(default_rng(2), 3), 0.0, atol=10.0)
print(solve(np.eye(2), [1, 2]), shape_of(np.ones(2), int32))
