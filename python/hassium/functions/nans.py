"""Reductions and accumulations that ignore NaN, recorded as their counterparts with a mask.

NumPy warns at the call where a slice is all NaN: that is read at the call, the rest stays lazy.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium.functions import moments, reductions

_NO = numpy._NoValue
_U = _core.ufuncs
_sum = _U["add"].reduce
_isnan = _U["isnan"]

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


# A number is computed at the call, and an array that has a name then is stored. So these call the
# method of an array that they do not name.
def _without_nan(x: Any, neutral: Any) -> Any:
    """Returns `x` with `neutral` in place of NaN."""
    if x.dtype.kind not in "fc":
        return x
    return _core.asarray(_U["where"](_isnan(x), x.dtype.type(neutral), x))


def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Sum with NaN taken as zero."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    return _without_nan(x, 0).sum(axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Product with NaN taken as one."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    return _without_nan(x, 1).prod(axis, dtype, out, keepdims, initial, where)


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative sum with NaN taken as zero."""
    x = _fallback.own_array(a)
    return NotImplemented if x is None else _without_nan(x, 0).cumsum(axis, dtype, out)


def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative product with NaN taken as one."""
    x = _fallback.own_array(a)
    return NotImplemented if x is None else _without_nan(x, 1).cumprod(axis, dtype, out)


def _extreme(
    name: str, plain: str, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    given = {
        key: value
        for key, value in (("keepdims", keepdims), ("initial", initial), ("where", where))
        if value is not _NO
    }
    x = _fallback.own_array(a)
    # NumPy reduces other arguments than arrays in another way, with another text in warnings.
    listed = not _core.is_any_array(a)
    if x is None or (listed and x.dtype.kind in "fc"):
        return NotImplemented
    found = _U[plain].reduce(x, axis, None, out, **given)
    if found.dtype.kind not in "fc":
        return found
    if found.ndim == 0:
        none_left = bool(found != found)
    else:
        none_left = bool(_isnan(found).any())
    if none_left:
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    return found


def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Maximum ignoring NaN; NaN with a warning for all-NaN slices."""
    return _extreme("nanmax", "fmax", a, axis, out, keepdims, initial, where)


def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Minimum ignoring NaN; NaN with a warning for all-NaN slices."""
    return _extreme("nanmin", "fmin", a, axis, out, keepdims, initial, where)


def _position(name: str, plain: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    if x.dtype.kind in "fc":
        missing = _isnan(x)
        if x.size and reductions.all(missing, axis).any():
            raise ValueError("All-NaN slice encountered")
        last = -numpy.inf if plain is reductions.argmax else numpy.inf
        x = _U["where"](missing, x.dtype.type(last), x)
    return plain(x, axis, out, keepdims=keepdims)


def nanargmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first maximum, ignoring NaN; raises ValueError for all-NaN slices."""
    return _position("nanargmax", reductions.argmax, a, axis, out, keepdims)


def nanargmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first minimum, ignoring NaN; raises ValueError for all-NaN slices."""
    return _position("nanargmin", reductions.argmin, a, axis, out, keepdims)


def _check_inexact(dtype: Any, out: Any) -> None:
    if dtype is not None and numpy.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")


def _numbers(numbers: Any, axis: Any, keepdims: bool, where: Any) -> tuple[Any, bool]:
    """Returns how many are true in each slice, and whether a slice has none, which is read."""
    if axis is None and where is _NO and not keepdims:
        known = _core.count_nonzero(numbers)
        if known is not NotImplemented:
            return numpy.intp(known), known == 0
    given = {} if where is _NO else {"where": where}
    count = _sum(numbers, axis, numpy.intp, None, keepdims, **given)
    return count, bool((count == 0).any())


def _quotient(total: Any, count: Any, none: bool, out: Any = None) -> Any:
    """Returns `total` over `count` in its dtype, without warnings for slices without numbers."""
    if none:
        with numpy.errstate(invalid="ignore", divide="ignore"):
            return _quotient(total, count, False, out)
    if out is not None:
        return _U["true_divide"](total, count, out=out, casting="unsafe")
    found = _U["true_divide"](total, count)
    return found if found.dtype == total.dtype else found.astype(total.dtype)


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
) -> Any:
    """Arithmetic mean ignoring NaN; NaN with a warning for all-NaN slices."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    if x.dtype.kind not in "fc":
        return moments.mean(x, axis, dtype, out, keepdims, where=where)
    _check_inexact(dtype, out)
    numbers = x == x
    keep = keepdims is not _NO and keepdims
    chosen = where is _NO or where
    zero = x.dtype.type(0)
    total = _sum(_U["where"](numbers, x, zero), axis, dtype, out, keep, where=chosen)
    count, none = _numbers(numbers, axis, keep, where)
    found = _quotient(total, count, none, out)
    if none:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    return found


def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
    correction: Any = _NO,
) -> Any:
    """Variance ignoring NaN, with `ddof` (or `correction`) subtracted from the divisor."""
    options = {"keepdims": keepdims, "where": where, "mean": mean, "correction": correction}
    return _spread("nanvar", moments.var, a, (axis, dtype, out, ddof), options)


def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
    correction: Any = _NO,
) -> Any:
    """Standard deviation ignoring NaN."""
    options = {"keepdims": keepdims, "where": where, "mean": mean, "correction": correction}
    return _spread("nanstd", moments.std, a, (axis, dtype, out, ddof), options)


def _spread(name: str, plain: Any, a: Any, args: Any, options: dict[str, Any]) -> Any:
    """Computes `nanvar` or `nanstd`; with a mask or a given mean through NumPy."""
    x = _fallback.own_array(a)
    options = {key: value for key, value in options.items() if value is not _NO}
    if x is None:
        return NotImplemented
    if x.dtype.kind not in "fc":
        return plain(x, *args, **options)
    if "where" in options or "mean" in options:
        return NotImplemented
    axis, dtype, out, ddof = args
    _check_inexact(dtype, out)
    if "correction" in options:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = options["correction"]
    keep = options.get("keepdims", False)
    found, few = _variance(x, axis, dtype, out, ddof, keep)
    if few:
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=3)
    if plain is moments.std:
        found = _U["sqrt"](found) if out is None else _U["sqrt"](found, out=out)
    return found


def _distances(x: Any, numbers: Any, middle: Any) -> Any:
    """Returns `x` minus `middle` in the dtype of `x`, with zeros in place of NaN."""
    return _U["where"](numbers, (x - middle).astype(x.dtype, copy=False), x.dtype.type(0))


def _squared(x: Any) -> Any:
    return x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x


def _variance(x: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keep: bool) -> tuple[Any, bool]:
    """Returns the variance, and whether some slice has too few numbers and is NaN."""
    numbers = x == x
    total = _sum(_U["where"](numbers, x, x.dtype.type(0)), axis, dtype, None, True)
    count, none = _numbers(numbers, axis, True, _NO)
    middle = _quotient(total, count, none)
    variance = _sum(_squared(_distances(x, numbers, middle)), axis, dtype, out, keep)
    if not keep:
        count = count.reshape(variance.shape)
    freedom = count - ddof
    bad = freedom <= 0
    few = bool(bad.any())
    variance = _quotient(variance, freedom, few, out)
    if few and variance.ndim == 0 and out is None:
        variance = variance.dtype.type(numpy.nan)
    elif few:
        variance[bad] = numpy.nan
    return variance, few
