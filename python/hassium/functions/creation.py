"""Array creation: NumPy's functions of the same names, recording instead of filling."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import (
    arange,
    array,
    as_view,
    asarray,
    ascontiguousarray,
    asfortranarray,
    empty,
    empty_like,
    full,
    ones,
    ones_like,
    zeros,
    zeros_like,
)

# Integers up to here are exact in float64; quotients above _SMALL are not subnormal.
_EXACT = 2**53
_SMALL = 1e-300
_CLASSES: Any = type(numpy.dtype)

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "diag",
    "diagflat",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tri",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def asanyarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: Any = None,
    like: Any = None,
) -> Any:
    """As `asarray`, except for instances of ndarray subclasses, which NumPy converts."""
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """Returns a copy of `a`."""
    return array(a, order=order, copy=True)


_WHOLE = (int, numpy.integer, numpy.datetime64)  # and so timedelta64


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Returns an array of `fill_value` with the shape, layout and dtype of `a`."""
    result = empty_like(a, dtype, order, shape=shape, device=device)
    # Text, dates, objects; or no element to be converted.
    if type(result) is numpy.ndarray or result.size == 0:
        _core.call_numpy(numpy.copyto, (result, fill_value, "unsafe"), {}, None)
        return result
    # Filling casts with a warning where assigning a number raises.
    if type(fill_value) is complex:
        fill_value = numpy.complex128(fill_value)
    elif (
        type(fill_value) is _core.scalar
        or (isinstance(fill_value, (float, numpy.floating)) and result.dtype.kind in "iu")
        or (isinstance(fill_value, _WHOLE) and type(fill_value) is not int)
    ):
        fill_value = asarray(fill_value)
    elif type(fill_value) is int and result.dtype.kind == "b":
        fill_value = numpy.intp(fill_value)  # for its truth value, if it fits
    result[...] = fill_value
    return result


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Returns an (N, M) array of zeros with ones on diagonal `k`."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    k = operator.index(k)
    result = zeros((rows, columns), dtype, order, device=device, like=like)
    if type(result) is not _core.ndarray or result.ndim > 2:  # a subarray dtype
        return _fallback.call("eye", numpy.eye, (rows, columns, k, dtype, order), {})
    if -rows < k < columns:
        _diagonal_of(result, k).fill(1)
    return result


def _diagonal_of(a: Any, k: int) -> Any:
    """Returns diagonal `k` of a matrix as a writable view; NumPy's `diagonal` is read-only."""
    (rows, columns), (down, right) = a.shape, a.strides
    if a.size == 0:
        return a.reshape(-1)
    n, offset = (
        (min(rows, columns - k), k * right) if k >= 0 else (min(rows + k, columns), -k * down)
    )
    return _core.view_of(a, (n,), (down + right,), offset)


def identity(n: int, dtype: Any = None, *, like: Any = None) -> Any:
    """Returns the (n, n) identity matrix."""
    return eye(n, dtype=float if dtype is None else dtype, like=like)


def _promoted(value: Any) -> Any:
    """Returns an argument as promotion sees it: Python's numbers are weak."""
    return value if type(value) in (int, float, complex) else asarray(value).dtype


def _between_numbers(start: Any, stop: Any, num: int, div: int) -> Any:
    """Returns the samples between two Python numbers, in the same arithmetic.

    Returns None for other ends, and where NumPy's scalars would warn or take another path.
    """
    for end in (start, stop):
        kind = type(end)
        if kind is not float and (kind is not int or abs(end) > _EXACT):
            return None
    first, last = float(start), float(stop)
    delta = last - first
    step = delta / div if div > 0 else 0.0
    if not _SMALL < abs(step) < math.inf:
        return None
    y = arange(0, num, dtype=float)
    y *= step
    y += first
    if div < num and num > 1:
        y[-1] = last
    return y


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Returns `num` evenly spaced samples over [start, stop], along a new `axis`.

    Bit-identical to NumPy: the arithmetic is the same, in the same order. Raises ValueError for
    negative `num`.
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    if dtype is None and axis == 0 and not retstep and device is None:
        samples = _between_numbers(start, stop, num, div)
        if samples is not None:
            return samples
    working = numpy.result_type(_promoted(start), _promoted(stop))
    if working.kind not in "fc":
        working = numpy.result_type(working, numpy.float64)
    if working.kind == "O":
        args = (start, stop, num, endpoint, retstep, dtype, axis)
        return _fallback.call("linspace", numpy.linspace, args, {"device": device})
    start, stop = asarray(start), asarray(stop)
    if isinstance(dtype, _CLASSES):  # classes of dtypes, not of numbers
        dtype = dtype()
    wanted = working if dtype is None else numpy.dtype(dtype)
    delta = _core.ufuncs["subtract"](stop, start, dtype=working)
    y = arange(0, num, dtype=working, device=device).reshape((-1,) + (1,) * delta.ndim)
    if div > 0:
        step = delta / div
        if delta.ndim == 0:
            any_zero = bool(step == 0)
        else:
            any_zero = bool((step == 0).any())
        if any_zero:
            y = y / div
            y = y * delta
        else:
            y = y * step
    else:
        step = numpy.nan
        y = y * delta
    y += start
    if endpoint and num > 1:
        y[-1, ...] = stop
    if axis != 0:
        y = numpy.moveaxis(y, 0, axis)
    if wanted.kind in "ium":
        _core.ufuncs["floor"](y, out=y)
    result = y if y.dtype == wanted else y.astype(wanted)
    return (result, step) if retstep else result


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns samples evenly spaced on a log scale: ``base ** linspace(start, stop)``."""
    if numpy.ndim(base) > 0:
        return _fallback.call(
            "logspace", numpy.logspace, (start, stop, num, endpoint, base, dtype, axis), {}
        )
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    result = _core.ufuncs["power"](base, y)
    return result if dtype is None else result.astype(dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Returns samples evenly spaced on a log scale, through NumPy."""
    given = (start, stop, num, endpoint, dtype, axis)
    return _fallback.call("geomspace", numpy.geomspace, given, {})


def broadcast_array(a: Any, shape: tuple[int, ...]) -> Any:
    """Broadcasts `a` to a wider `shape`, as writeable as `a`, with a warning at a write.

    `broadcast_to` gives read-only views.
    """
    if a.shape == shape:
        return a
    wide = _core.broadcast_to(a, shape)
    if a.flags._writeable_no_warn:
        wide.flags.writeable = True
        wide.flags._warn_on_write = True
    return wide


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """Returns coordinate arrays of vectors."""
    ndim = len(xi)
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    base = (1,) * ndim
    output = [as_view(x).reshape(base[:i] + (-1,) + base[i + 1 :]) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        output[0] = output[0].reshape((1, -1) + base[2:])
        output[1] = output[1].reshape((-1, 1) + base[2:])
    if not sparse:
        shape = numpy.broadcast_shapes(*(x.shape for x in output))
        output = [broadcast_array(x, shape) for x in output]
    if copy:
        output = [x.copy() for x in output]
    # A tuple; sparse views are a list before NumPy 2.5.
    kind: Any = type(numpy.meshgrid(copy=copy, sparse=sparse))
    return kind(output)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Returns the index arrays of a grid."""
    dimensions = tuple(dimensions)
    ndim = len(dimensions)
    shape = (1,) * ndim
    axes = [
        arange(extent, dtype=dtype).reshape(shape[:i] + (extent,) + shape[i + 1 :])
        for i, extent in enumerate(dimensions)
    ]
    if sparse:
        return tuple(axes)
    result = empty((ndim, *dimensions), dtype)
    for i, axis in enumerate(axes):
        result[i] = axis
    return result


def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """Calls `function` with the index arrays of a grid of `shape`."""
    return function(*indices(shape, dtype=dtype), **kwargs)


def diag(v: Any, k: int = 0) -> Any:
    """Returns the diagonal of a matrix (a read-only view), or the matrix with a given diagonal."""
    v = as_view(v)
    if type(v) is numpy.ndarray:
        return _fallback.call("diag", numpy.diag, (v, k), {})
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        result = zeros((n, n), v.dtype)
        _diagonal_of(result, k)[...] = v
        return result
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


def diagflat(v: Any, k: int = 0) -> Any:
    """Returns the matrix whose diagonal is `v` flattened."""
    return diag(asarray(v).ravel(), operator.index(k))


def _are_whole(*numbers: Any) -> bool:
    """Returns whether all can be an index: NumPy warns of others, or refuses them."""
    return all(hasattr(number, "__index__") for number in numbers)


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = float,
    *,
    like: Any = None,
) -> Any:
    """Returns an array with ones at and below diagonal `k`, zeros elsewhere."""
    if not _are_whole(N, N if M is None else M, k):
        return NotImplemented
    columns = N if M is None else M
    rows = arange(N, like=like).reshape(-1, 1)
    return (rows >= arange(-k, columns - k, dtype=int)).astype(dtype)


def _lower(shape: tuple[int, ...], k: Any) -> Any:
    """Returns a mask of the elements at or below diagonal `k` of the last two axes."""
    if not shape:
        raise TypeError("missing 1 required positional argument: 'N'")
    return tri(shape[-2:][0], shape[-1], k, bool)


def tril(m: Any, k: int = 0) -> Any:
    """Returns the lower triangle of the last two axes."""
    if not _are_whole(k):
        return NotImplemented
    m = asarray(m)
    keep = _lower(m.shape, k)
    return _core.ufuncs["where"](keep, m, zeros(1, m.dtype))


def triu(m: Any, k: int = 0) -> Any:
    """Returns the upper triangle of the last two axes."""
    if not _are_whole(k):
        return NotImplemented
    m = asarray(m)
    drop = _lower(m.shape, k - 1)
    return _core.ufuncs["where"](drop, zeros(1, m.dtype), m)
