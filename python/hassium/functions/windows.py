"""Window functions. NumPy computes their cosines and Bessel functions, for bit-identical results;
the arithmetic on these is recorded, and fuses with the uses of the window."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core
from hassium.functions import creation

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_NUMBERS = (int, float, numpy.int64, numpy.float64)
_MOST = 1 << 53  # points that a float distinguishes


def _is_number(value: Any) -> bool:
    return type(value) in _NUMBERS and math.isfinite(value) and abs(value) < _MOST


def _window(M: Any, shape: Callable[[Any, Any], Any]) -> Any:
    """Calls `shape` with the points, spaced twice as far as NumPy's, and their number minus one."""
    if not _is_number(M):
        return NotImplemented
    points = numpy.float64(M)
    if points < 1:
        return creation.empty(0)
    if points == 1:
        return creation.ones(1)
    return shape(numpy.arange(1 - points, points, 2), points - 1)


def _cos(angles: Any) -> Any:
    return _core.from_numpy(numpy.cos(angles), False)


def bartlett(M: Any) -> Any:
    """Triangular window, zero at its ends."""

    def triangle(n: Any, last: Any) -> Any:
        x = _core.from_numpy(n, False)
        return _core.ufuncs["where"](x <= 0, 1 + x / last, 1 - x / last)

    return _window(M, triangle)


def blackman(M: Any) -> Any:
    """Blackman window: a sum of two cosines, zero at its ends."""
    return _window(
        M,
        lambda n, last: (
            0.42 + 0.5 * _cos(numpy.pi * n / last) + 0.08 * _cos(2.0 * numpy.pi * n / last)
        ),
    )


def hamming(M: Any) -> Any:
    """Hamming window: a raised cosine, small at its ends."""
    return _window(M, lambda n, last: 0.54 + 0.46 * _cos(numpy.pi * n / last))


def hanning(M: Any) -> Any:
    """Hann window: a raised cosine, zero at its ends."""
    return _window(M, lambda n, last: 0.5 + 0.5 * _cos(numpy.pi * n / last))


def kaiser(M: Any, beta: Any) -> Any:
    """Kaiser window: a quotient of Bessel functions, narrower for larger `beta`."""
    if not (_is_number(M) and _is_number(beta)):
        return NotImplemented
    points, width = numpy.float64(M), numpy.float64(beta)
    if points == 1:
        return creation.ones(1)
    middle = (points - 1) / 2.0
    n = numpy.arange(0, points)
    bessel = numpy.i0(width * numpy.sqrt(1 - ((n - middle) / middle) ** 2.0))
    return _core.from_numpy(bessel, False) / numpy.i0(width)
