"""hanning and its kin have NumPy's bits, dtype and edge cases."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np

NAMES = ["bartlett", "blackman", "hamming", "hanning"]
POINTS = [*range(-2, 70), 100, 1001, 2.0, 2.5, 0.3, 1.0, numpy.int64(12), numpy.float64(9), True]


def same(found: Any, expected: Any) -> None:
    assert type(found) is np.ndarray
    assert found.dtype == expected.dtype
    assert numpy.asarray(found).tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_windows(name: str) -> None:
    for points in POINTS:
        same(getattr(np, name)(points), getattr(numpy, name)(points))


@pytest.mark.parametrize("beta", [0, 2.5, 8.6, 14])
def test_kaiser(beta: float) -> None:
    with numpy.errstate(all="ignore"):  # of points that are no whole number
        for points in POINTS:
            same(np.kaiser(points, beta), numpy.kaiser(points, beta))


def test_their_arithmetic_is_recorded_and_they_are_no_fallbacks() -> None:
    np.reset_stats()
    x = np.arange(300.0) * np.hanning(300)
    numpy.testing.assert_array_equal(numpy.asarray(x), numpy.arange(300.0) * numpy.hanning(300))
    assert not np.stats()["fallbacks"]


def test_what_is_no_number_of_points() -> None:
    same(np.hanning(np.array(5)), numpy.hanning(numpy.array(5)))
    with pytest.raises(ValueError, match=r"."):
        np.hamming(float("nan"))
    with pytest.raises((TypeError, ValueError)):
        np.kaiser("5", 2)
