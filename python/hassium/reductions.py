"""Reductions as functions and as array methods, with NumPy's arguments.

`mean`, `var` and `std` follow NumPy's own order of operations (numpy/_core/_methods.py), so only
the summation tree differs.
"""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import asarray

_NO = numpy._NoValue
_U = _core.ufuncs
_sum = _U["add"].reduce
_divide = _U["true_divide"]

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
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "trace",
    "var",
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
    """Maximum over `axis`; nan if any element is nan."""
    return _reduce("maximum", a, axis, None, out, keepdims, initial, where)


def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Any:
    """Minimum over `axis`; nan if any element is nan."""
    return _reduce("minimum", a, axis, None, out, keepdims, initial, where)


amax = max
amin = min


def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """Whether any element over `axis` is true."""
    return _reduce("logical_or", a, axis, bool if out is None else None, out, keepdims, _NO, where)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """Whether all elements over `axis` are true."""
    return _reduce("logical_and", a, axis, bool if out is None else None, out, keepdims, _NO, where)


def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first maximum."""
    return asarray(a).argmax(axis, out, keepdims=False if keepdims is _NO else keepdims)


def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """Index of the first minimum."""
    return asarray(a).argmin(axis, out, keepdims=False if keepdims is _NO else keepdims)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative sum; of the flattened array without `axis`."""
    return asarray(a).cumsum(axis, dtype, out)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Cumulative product; of the flattened array without `axis`."""
    return asarray(a).cumprod(axis, dtype, out)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """The array API's cumulative sum, behind a zero with `include_initial`."""
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
    """The array API's cumulative product, behind a one with `include_initial`."""
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
            f"[{name}] For arrays which have more than one dimension ``axis`` argument is required."
        )
    axis = 0 if axis is None else axis
    accumulate = _U[step].accumulate
    if not include_initial:
        return accumulate(a, axis, dtype, out)
    before = (slice(None),) * numpy.lib.array_utils.normalize_axis_index(axis, a.ndim)
    if out is None:
        found = accumulate(a, axis, dtype)
        shape = [n + (k == len(before)) for k, n in enumerate(found.shape)]
        out = _core.empty(shape, found.dtype)
        out[(*before, slice(1, None))] = found
    else:
        accumulate(a, axis, dtype, out[(*before, slice(1, None))])
    out[(*before, 0)] = _U[step].identity
    return out


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO) -> Any:
    """Range of values: maximum minus minimum."""
    a = asarray(a)
    most = max(a, axis, out, keepdims)
    return _U["subtract"](most, min(a, axis, keepdims=keepdims), out=out)


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple(numpy.lib.array_utils.normalize_axis_index(k, ndim) for k in given)


def _count(a: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """Elements that a reduction sees: a number, or an array when `where` is given."""
    if where is True:
        items = 1
        for k in _axes(a.ndim, axis):
            items *= a.shape[k]
        return items
    return _sum(_core.broadcast_to(asarray(where), a.shape), axis, numpy.intp, None, keepdims)


def _count_of(a: Any, axis: Any, results: Any) -> int:
    """Elements that each of `results`, a reduction of all of `a`, is made of.

    Reductions take axis 0 of an array without axes, but `mean` and `var` refuse it.
    """
    size = results.size
    count: int = a.size // size if size and a.ndim else _count(a, axis, False, True)
    return count


def _some_empty(count: Any) -> bool:
    return count == 0 if isinstance(count, int) else bool((count == 0).any())


def _quotient(total: Any, count: Any, as_given: bool) -> Any:
    """`total` over `count` in its own dtype, which a number as divisor leaves to floats anyhow."""
    result = _divide(total, count)
    return result.astype(total.dtype) if as_given and result.dtype != total.dtype else result


def _by_numpy(name: str, a: Any, axis: Any, dtype: Any, out: Any, **given: Any) -> Any:
    """NumPy's own reduction of an array whose dtype has no kernels."""
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
    if type(a) is numpy.ndarray:
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
        _warn("Mean of empty slice")
    if out is not None:
        _divide(total, count, out=out, casting="unsafe")
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
    """Variance over `axis` with `ddof` (or `correction`) taken off the divisor."""
    if correction is not _NO:
        if ddof != 0:
            raise ValueError("[var] ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = asarray(a)
    if type(a) is numpy.ndarray:
        given = {"keepdims": keepdims, "where": where, "mean": mean}
        return _by_numpy("var", a, axis, dtype, out, ddof=ddof, **given)
    keep = keepdims is not _NO and keepdims
    if where is _NO:
        where = True
    as_given = dtype is not None or where is not True
    if dtype is None and a.dtype.kind in "iub":
        dtype = numpy.float64
    if mean is _NO:
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
    x = a - middle
    if x.dtype.kind == "c":
        x = x.real * x.real + x.imag * x.imag
    else:
        x = x * x
    total = _sum(x, axis, dtype, out, keep, where=where)
    if out is not None:
        return _divide(total, divisor, out=out, casting="unsafe")
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
    # With an integer dtype NumPy casts a number, and refuses to for an array.
    return root.astype(square.dtype) if square.ndim == 0 else _U["sqrt"](square, out=square)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Number of elements that are not zero."""
    a = asarray(a)
    if axis is None and not keepdims:
        keepdims = False  # of any type
    if type(a) is numpy.ndarray:
        return _fallback.call(
            "count_nonzero", numpy.count_nonzero, (a, axis), {"keepdims": keepdims}
        )
    return _sum(a.astype(bool, copy=False), axis, numpy.intp, None, keepdims)


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """Sum along a diagonal."""
    return sum(asarray(a).diagonal(offset, axis1, axis2), axis=-1, dtype=dtype, out=out)
