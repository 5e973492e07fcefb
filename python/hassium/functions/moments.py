"""`mean`, `var` and `std`, as functions and as array methods, with NumPy's arguments.

They follow NumPy's own order of operations (numpy/_core/_methods.py), so only the summation tree
differs.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy._core import _methods

from hassium import _core, _fallback
from hassium._core import asarray

__all__ = ["mean", "std", "var"]

_NO = numpy._NoValue
_U = _core.ufuncs
_sum = _U["add"].reduce
_divide = _U["true_divide"]
# Functions that warnings name and the text of one: as NumPy's own functions have them.
_MEAN, _VAR = (getattr(_methods, name).__code__ for name in ("_mean", "_var"))
_EMPTY = next((text for text in map(str, _MEAN.co_consts) if text.startswith("Mean of")), "")
# The integers up to here are exact in dtypes of less than double precision.
_MOST_INTEGER = {"e": 1 << 11, "f": 1 << 24, "F": 1 << 24}
_BY_SQUARE = "square" in _VAR.co_names


def _square(x: Any) -> Any:
    return _U["square"](x) if _BY_SQUARE else _U["multiply"](x, x)


def _squared(x: Any) -> Any:
    """Returns the squares of absolute values."""
    return _square(x.real) + _square(x.imag) if x.dtype.kind == "c" else _square(x)


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple(numpy.lib.array_utils.normalize_axis_index(k, ndim) for k in given)


def _count(a: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """Returns how many elements a reduction combines: a number, or an array if `where` is given."""
    if where is True:
        items = 1
        for k in _axes(a.ndim, axis):
            items *= a.shape[k]
        return items
    return _sum(_core.broadcast_to(asarray(where), a.shape), axis, numpy.intp, None, keepdims)


def _count_of(a: Any, axis: Any, results: Any) -> int:
    """Returns how many elements each of `results` combines, a reduction of all of `a`.

    Reductions accept axis 0 of an array without axes, but `mean` and `var` reject it.
    """
    size = results.size
    count: int = a.size // size if size and a.ndim else _count(a, axis, False, True)
    return count


def _some_empty(count: Any) -> bool:
    return count == 0 if isinstance(count, int) else bool((count == 0).any())


def _exact(count: Any, total: Any) -> Any:
    """Returns `count`, as a NumPy scalar if the dtype of `total` would round a Python number.

    NumPy divides by an int64 or float64, which makes the quotient one of double precision.
    """
    if type(count) is int and count <= _MOST_INTEGER["e"]:
        return count  # exact in every dtype
    most = _MOST_INTEGER.get(total.dtype.char)
    if most is None or type(count) not in (int, float) or (count <= most and count == int(count)):
        return count
    return numpy.asarray(count)[()]


def _quotient(total: Any, count: Any, as_given: bool) -> Any:
    """Returns `total` over `count` in the dtype of `total`; float totals keep it without a cast."""
    exact = _exact(count, total)
    result = total / exact
    changed = (as_given or exact is not count) and result.dtype != total.dtype
    return result.astype(total.dtype) if changed else result


def _by_objects(dtype: Any) -> bool:
    """Returns whether sums are Python objects, which are not arrays if they have no axes."""
    return dtype is not None and numpy.dtype(dtype).hasobject


def _by_numpy(name: str, a: Any, axis: Any, dtype: Any, out: Any, **given: Any) -> Any:
    """Calls NumPy's reduction, for arrays or result dtypes without kernels."""
    given = {key: value for key, value in given.items() if value is not _NO}
    args = (a, axis, dtype, out)
    return _fallback.call(name, getattr(numpy, name), args, given)


def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
) -> Any:
    """Arithmetic mean over `axis`. Integers are averaged in float64, float16 in float32."""
    a = asarray(a)
    if type(a) is numpy.ndarray or _by_objects(dtype):
        return _by_numpy("mean", a, axis, dtype, out, keepdims=keepdims, where=where)
    keep = keepdims is not _NO and keepdims
    half = False
    as_given = dtype is not None or where is not _NO
    if dtype is None:
        kind = a.dtype.kind
        if kind in "iub":
            dtype = numpy.float64
        elif kind == "f" and a.itemsize == 2:
            dtype, half = numpy.float32, True
    if where is _NO or where is True:
        total = _sum(a, axis, dtype, out, keep)
        count = _count_of(a, axis, total)
    else:
        count = _count(a, axis, keep, where)
        total = _sum(a, axis, dtype, out, keep, where=where)
    if _some_empty(count):
        _warn(_EMPTY)
    if out is not None:
        _divide(total, _exact(count, total), out=out, casting="unsafe")
        return out
    result = _quotient(total, count, as_given)
    return result.astype(numpy.float16) if half else result


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel=3)


def var(
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
    """Variance over `axis`, with `ddof` (or `correction`) subtracted from the divisor."""
    if correction is not _NO:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = asarray(a)
    if type(a) is numpy.ndarray or _by_objects(dtype):
        given = {"keepdims": keepdims, "where": where, "mean": mean}
        return _by_numpy("var", a, axis, dtype, out, ddof=ddof, **given)
    keep = keepdims is not _NO and keepdims
    if where is _NO:
        where = True
    as_given = dtype is not None or where is not True
    if dtype is None and a.dtype.kind in "iub":
        dtype = numpy.float64
    if mean is _NO or mean is None:
        if where is True:
            total = _sum(a, axis, dtype, None, True)
            count = divisor = _count_of(a, axis, total)
        else:
            total = _sum(a, axis, dtype, None, True, where=where)
            count = _count(a, axis, keep, where)
            divisor = count if keep else _count(a, axis, True, where)
        middle = _quotient(total, divisor, as_given)
    else:
        middle = mean
        count = _count(a, axis, keep, where)
    if isinstance(count, int):
        divisor = count - ddof if count > ddof else 0
        few = ddof >= count
    else:
        divisor = _U["maximum"](count - ddof, 0)
        few = bool((count <= ddof).any())
    if few:
        _warn("Degrees of freedom <= 0 for slice")
    # Without names, as a number is computed at the call and a named array would be stored.
    total = _sum(_squared(a - middle), axis, dtype, out, keep, where=where)
    if out is not None:
        return _divide(total, _exact(divisor, total), out=out, casting="unsafe")
    return _quotient(total, divisor, True)


def std(
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
    """Standard deviation over `axis`."""
    square = var(
        a,
        axis,
        dtype,
        out,
        ddof,
        keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
    if out is not None:
        return _U["sqrt"](square, out=out)
    root = _U["sqrt"](square)
    if root.dtype == square.dtype:
        return root
    # With an integer dtype NumPy casts a scalar, but refuses to cast an array.
    return root.astype(square.dtype) if square.ndim == 0 else _U["sqrt"](square, out=square)
