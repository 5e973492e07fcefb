"""Questions that compiled code puts to NumPy once, on first need: how its versions differ."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy

# As in ufunc_slots.cpp: operands by kind, exponents by form, and the exponents that may have a row.
BASES = (False, 1, 1.0)
EXPONENTS = (2.0, -1.0, 0.5, 1.0)
FORMS: tuple[Any, ...] = (int, float, numpy.int64, numpy.float64)


class _Naming(numpy.ndarray):
    """An array whose operators give the ufunc that they call, and the dtype of its operand."""

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc.__name__, inputs[0].dtype


def _row_of(power: Any, base: Any, exponent: Any) -> str:
    """Returns the ufunc that is called on `base` as it is; none if NumPy casts it before."""
    numbers = numpy.array([base])
    name, dtype = power(numbers.view(_Naming), exponent)
    return str(name) if dtype == numbers.dtype else ""


def power_rows() -> list[str]:
    """Returns the ufuncs of ``x ** e`` and ``x **= e`` for kinds of `x` and forms of `e`."""
    return [
        _row_of(power, base, form(exponent)) if form(exponent) == exponent else ""
        for power in (operator.pow, operator.ipow)
        for base in BASES
        for form in FORMS
        for exponent in EXPONENTS
    ]


def power_takes_roots() -> bool:
    """Returns whether ``power(x, 0.5)`` is the root, not a number where C's `pow` has one."""
    with numpy.errstate(invalid="ignore"):
        return bool(numpy.isnan(numpy.power(numpy.array([-numpy.inf]), 0.5))[0])


def dot_reports() -> bool:
    """Returns whether `dot` reports floating-point errors."""
    large = numpy.full(2, 1e308)
    try:
        with numpy.errstate(over="raise"):
            numpy.dot(large, large)
    except FloatingPointError:
        return True
    return False


def out_takes_dots() -> bool:
    """Returns whether ufuncs take ``out=...``."""
    try:
        numpy.positive(0.0, out=...)
    except TypeError:
        return False
    return True


def _warns_of_assignment(attribute: str) -> bool:
    """Returns whether an array's attribute is set with a warning."""
    array = numpy.zeros((), dtype=bool)
    with warnings.catch_warnings():
        for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, UserWarning):
            warnings.simplefilter("error", category)
        try:
            setattr(array, attribute, getattr(array, attribute))
        except Warning:
            return True
    return False


def shape_warns() -> bool:
    """Returns whether setting ``shape`` warns."""
    return _warns_of_assignment("shape")


def strides_warns() -> bool:
    """Returns whether setting ``strides`` warns."""
    return _warns_of_assignment("strides")


def dtype_warns() -> bool:
    """Returns whether setting ``dtype`` warns."""
    return _warns_of_assignment("dtype")
