"""Reductions as functions and as array methods, with NumPy's arguments."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import creation

_NO = numpy._NoValue
_U = _core.ufuncs
_sum = _U["add"].reduce

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
    "trace",
]


def _reduce(
    name: str,
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    reduce = _U[name].reduce
    keep = keepdims is not _NO and keepdims
    if initial is _NO and where is _NO:
        return reduce(a, axis, dtype, out, keep)
    given = {k: v for k, v in (("initial", initial), ("where", where)) if v is not _NO}
    return reduce(a, axis, dtype, out, keep, **given)


def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Sum over `axis` (all axes by default)."""
    return _reduce("add", a, axis, dtype, out, keepdims, initial, where)


def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Product over `axis`."""
    return _reduce("multiply", a, axis, dtype, out, keepdims, initial, where)


def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Maximum over `axis`; NaN if any element is NaN."""
    return _reduce("maximum", a, axis, None, out, keepdims, initial, where)


def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Minimum over `axis`; NaN if any element is NaN."""
    return _reduce("minimum", a, axis, None, out, keepdims, initial, where)


amax = max
amin = min


def _truth(name: str, a: Any, axis: Any, out: Any, keepdims: Any, where: Any) -> Any:
    if not (isinstance(out, numpy.ndarray) and out.dtype.hasobject):
        return _reduce(name, a, axis, bool, out, keepdims, _NO, where)
    # NumPy 2.4 stores bools in an array of objects without counting references.
    result = _reduce(name, a, axis, bool, None, keepdims, _NO, where)
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the reduction {result.shape}")
    out[...] = numpy.asarray(result)
    return out


def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """Whether any element over `axis` is true."""
    return _truth("logical_or", a, axis, out, keepdims, where)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """Whether all elements over `axis` are true."""
    return _truth("logical_and", a, axis, out, keepdims, where)


def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first maximum."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    return x.argmax(axis, out, keepdims=False if keepdims is _NO else keepdims)


def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first minimum."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    return x.argmin(axis, out, keepdims=False if keepdims is _NO else keepdims)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative sum, by default of the flattened array."""
    x = _fallback.own_array(a)
    return NotImplemented if x is None else x.cumsum(axis, dtype, out)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative product, by default of the flattened array."""
    x = _fallback.own_array(a)
    return NotImplemented if x is None else x.cumprod(axis, dtype, out)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Cumulative sum of the array API, with a leading zero if `include_initial`."""
    options = {"axis": axis, "dtype": dtype, "out": out, "include_initial": include_initial}
    return _cumulative("cumulative_sum", "add", x, **options)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Cumulative product of the array API, with a leading one if `include_initial`."""
    options = {"axis": axis, "dtype": dtype, "out": out, "include_initial": include_initial}
    return _cumulative("cumulative_prod", "multiply", x, **options)


def _cumulative(
    name: str, step: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool
) -> Any:
    a = _fallback.own_array(x)
    if a is None:
        options = {"axis": axis, "dtype": dtype, "out": out, "include_initial": include_initial}
        return _fallback.call(name, getattr(numpy, name), (x,), options)
    a = a if a.ndim else a.reshape(1)
    if axis is None and a.ndim > 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    axis = 0 if axis is None else axis
    accumulate = _U[step].accumulate
    if not include_initial:
        return accumulate(a, axis, dtype, out=out)
    before = (slice(None),) * numpy.lib.array_utils.normalize_axis_index(axis, a.ndim)
    if out is None:
        found = accumulate(a, axis, dtype)
        shape = [1 if k == len(before) else n for k, n in enumerate(found.shape)]
        first = creation.full_like(found, _U[step].identity, shape=shape)
        return _core.concatenate((first, found), len(before))
    accumulate(a, axis, dtype, out[(*before, slice(1, None))])
    out[(*before, 0)] = _U[step].identity
    return out


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO) -> Any:
    """Range of values: maximum minus minimum."""
    a = asarray(a)
    most = max(a, axis, out, keepdims)
    return _U["subtract"](most, min(a, axis, keepdims=keepdims), out=out)


# Before NumPy 2.3 the number of elements of a whole array is Python's integer.
_COUNTS_IN_PYTHON = isinstance(numpy.count_nonzero(numpy.ones(1)), int)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Number of elements that are not zero."""
    a = asarray(a)
    if axis is None and not keepdims:
        keepdims = False  # any false value
    if type(a) is numpy.ndarray:
        return _fallback.call(
            "count_nonzero", numpy.count_nonzero, (a, axis), {"keepdims": keepdims}
        )
    found = _sum(a.astype(bool, copy=False), axis, numpy.intp, None, keepdims)
    return int(found) if _COUNTS_IN_PYTHON and axis is None and not keepdims else found


def _native(dtype: Any) -> Any:
    """Returns a numeric dtype in native byte order; other dtypes unchanged."""
    if dtype is None or isinstance(dtype, type):
        return dtype
    found = numpy.dtype(dtype)
    return found.newbyteorder("=") if found.kind in "iufc" else dtype


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """Sum along a diagonal."""
    return sum(asarray(a).diagonal(offset, axis1, axis2), axis=-1, dtype=_native(dtype), out=out)
