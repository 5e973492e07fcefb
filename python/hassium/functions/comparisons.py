"""Comparisons of whole arrays, exact and within tolerances."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import reductions

_U = _core.ufuncs
_NUMBERS = (int, float, complex)

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


def _warn_of_tolerances(atol: Any, rtol: Any) -> None:
    """Reports tolerances that are not finite, as the error state demands."""
    if all(type(v) in _NUMBERS and math.isfinite(v) for v in (atol, rtol)):
        return
    if bool(_U["isfinite"](atol).all()) and bool(_U["isfinite"](rtol).all()):
        return
    wanted = numpy.geterr()["invalid"]
    text = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
    if wanted == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    elif wanted == "raise":
        raise FloatingPointError(text)
    elif wanted == "print":
        print(text)


def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Any:
    """Element-wise ``|a - b| <= atol + rtol * |b|``, infinities compared exactly."""
    # Python's numbers adapt to the precision of the other operand.
    x, y, atol, rtol = (v if type(v) in _NUMBERS else asarray(v) for v in (a, b, atol, rtol))
    if type(y) is int:
        y = float(y)
    elif type(y) not in _NUMBERS and y.dtype.kind not in "fcm":
        y = y.astype(numpy.result_type(y.dtype, 1.0))
    _warn_of_tolerances(atol, rtol)
    with numpy.errstate(invalid="ignore"):
        close = _U["absolute"](x - y) <= (atol + rtol * abs(y))
        result = (close & _U["isfinite"](y)) | (x == y)
        if equal_nan:
            result = result | (_U["isnan"](x) & _U["isnan"](y))
    return result


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements are close."""
    return bool(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether shapes and all elements are equal."""
    try:
        x, y = asarray(a1), asarray(a2)
    except Exception:
        return False
    if equal_nan and x is not y and (x.dtype.kind + y.dtype.kind).strip("biufcmM"):  # isnan decides
        return bool(_fallback.call("array_equal", numpy.array_equal, (x, y, True), {}))
    return bool(x.shape == y.shape and reductions.all(_same(x, y, equal_nan)))


def _same(x: Any, y: Any, equal_nan: bool) -> Any:
    """Returns the comparison without a name, so that its reduction need not store it."""
    same = x == y
    return same | ((x != x) & (y != y)) if equal_nan else same


def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether the arrays broadcast to each other and all elements are equal."""
    try:
        x, y = asarray(a1), asarray(a2)
        if x.shape != y.shape:
            numpy.broadcast_shapes(x.shape, y.shape)
    except Exception:  # as NumPy: what is no array is not equivalent
        return False
    return bool(reductions.all(x == y))
