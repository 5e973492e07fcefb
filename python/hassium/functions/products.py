"""Vector, Kronecker and tensor products, Vandermonde matrices, and sliding sums of products."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium.functions import creation, elementwise, joining, manipulation

_U = _core.ufuncs

__all__ = ["convolve", "correlate", "cross", "einsum", "kron", "tensordot", "vander"]

# Columns of powers are written one by one while that costs less than accumulating rows.
_FEW_POWERS = 6
_MOST_POWERS = 64
_LONG = 300
# NumPy has loops for kernels of up to 11 elements, and calls BLAS for each position beyond.
_UNROLLED = 11
_LONGEST = 32
_MANY = 30_000  # elements from which on recorded sums of products are faster than NumPy's loops
_MANY_CALLS = 2_000


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Vector product of arrays of vectors with three components; NumPy handles two."""
    x, y = _fallback.own_array(a), _fallback.own_array(b)
    if x is None or y is None:
        return NotImplemented
    if axis is not None:
        axisa, axisb, axisc = (axis,) * 3
    if x.ndim < 1 or y.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    axisa = normalize_axis_index(axisa, x.ndim, "axisa")
    axisb = normalize_axis_index(axisb, y.ndim, "axisb")
    if x.shape[axisa] != 3 or y.shape[axisb] != 3:
        return NotImplemented
    of_vectors = x.ndim == y.ndim == 1
    if of_vectors:  # components would be scalars, whose integers warn of overflow
        x, y, axisa, axisb = x[None], y[None], 1, 1
    dtype = numpy.promote_types(x.dtype, y.dtype)
    x0, x1, x2 = _components(x.astype(dtype, copy=False), axisa)
    y0, y1, y2 = _components(y.astype(dtype, copy=False), axisb)
    shape = numpy.broadcast_shapes(x0.shape, y0.shape)
    axisc = normalize_axis_index(axisc, 1 if of_vectors else len(shape) + 1, "axisc")
    found = creation.empty((*shape, 3), dtype)
    found[..., 0] = x1 * y2 - x2 * y1
    found[..., 1] = x2 * y0 - x0 * y2
    found[..., 2] = x0 * y1 - x1 * y0
    if of_vectors:
        return found[0]
    return found if axisc == len(shape) else manipulation.moveaxis(found, -1, axisc)


def _components(x: Any, axis: int) -> tuple[Any, Any, Any]:
    before = (slice(None),) * axis
    return x[(*before, 0)], x[(*before, 1)], x[(*before, 2)]


def kron(a: Any, b: Any) -> Any:
    """Kronecker product: blocks of the second argument, scaled by the elements of the first."""
    x, y = _fallback.own_array(a), _fallback.own_array(b)
    if x is None or y is None:
        return _fallback.call("kron", numpy.kron, (a, b), {})
    if y.ndim == 0:
        return _U["multiply"](x, y)
    rank = max(x.ndim, y.ndim)
    outer = (1,) * (rank - x.ndim) + x.shape
    inner = (1,) * (rank - y.ndim) + y.shape
    spread = x.reshape([extent for n in outer for extent in (n, 1)])
    repeated = y.reshape([extent for n in inner for extent in (1, n)])
    return (spread * repeated).reshape([n * m for n, m in zip(outer, inner, strict=True)])


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum of products over pairs of axes, computed as a matrix product."""
    x, y = _fallback.own_array(a), _fallback.own_array(b)
    if x is None or y is None:
        return _fallback.call("tensordot", numpy.tensordot, (a, b), {"axes": axes})
    if type(axes) is int and 0 <= axes <= min(x.ndim, y.ndim):
        cut = x.ndim - axes
        outer, inner = x.shape[:cut], x.shape[cut:]
        if inner != y.shape[:axes]:
            raise ValueError("shape-mismatch for sum")
        summed = math.prod(inner)
        behind = y.shape[axes:]
        of_rows = x.reshape(math.prod(outer), summed)
        return elementwise.dot(of_rows, y.reshape(summed, math.prod(behind))).reshape(
            outer + behind
        )
    try:
        of_x, of_y = axes
    except TypeError:
        of_x, of_y = range(-axes, 0), range(axes)
    of_x, of_y = (list(k) if hasattr(k, "__len__") else [k] for k in (of_x, of_y))
    if len(set(of_x)) != len(of_x) or len(set(of_y)) != len(of_y):
        # Versions of NumPy refuse it in words of their own.
        return _fallback.call("tensordot", numpy.tensordot, (a, b), {"axes": axes})
    # Pair by pair: a mismatch of extents is reported before an axis out of bounds.
    if len(of_x) != len(of_y) or any(
        x.shape[j] != y.shape[k] for j, k in zip(of_x, of_y, strict=True)
    ):
        raise ValueError("shape-mismatch for sum")
    of_x = [k + x.ndim if k < 0 else k for k in of_x]
    of_y = [k + y.ndim if k < 0 else k for k in of_y]
    left = [k for k in range(x.ndim) if k not in of_x]
    right = [k for k in range(y.ndim) if k not in of_y]
    rows, columns = [x.shape[k] for k in left], [y.shape[k] for k in right]
    summed = math.prod(x.shape[k] for k in of_x)
    before = x.transpose(left + of_x).reshape(math.prod(rows), summed)
    behind = y.transpose(of_y + right).reshape(summed, math.prod(columns))
    return elementwise.dot(before, behind).reshape(rows + columns)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Powers of `x` as columns, highest first unless `increasing`."""
    given = x
    x = _fallback.own_array(x)
    if x is None:
        return _fallback.call("vander", numpy.vander, (given, N, increasing), {})
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[0] if N is None else operator.index(N)
    dtype = numpy.promote_types(x.dtype, int)
    found = creation.empty((x.shape[0], count), dtype)
    columns = found if increasing else found[:, ::-1]
    if count > 0:
        columns[:, 0] = 1
    if count <= _FEW_POWERS or (count <= _MOST_POWERS and x.shape[0] >= _LONG):
        x = power = x.astype(dtype, copy=False)
        for k in range(1, count):
            columns[:, k] = power
            power = power * x if k + 1 < count else None
        return found
    columns[:, 1:] = x[:, None]
    _U["multiply"].accumulate(columns[:, 1:], axis=1, out=columns[:, 1:])
    return found


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """Sum of products over labelled axes, recorded or as matrix products.

    NumPy's loop runs small operands. Diagonals, axes without labels, outputs and other keywords are
    counted fallbacks.
    """
    plain = out is None and not kwargs and operands and type(operands[0]) is str
    if not plain or isinstance(optimize, (list, tuple)):
        return NotImplemented
    if _core.is_small_einsum(*operands):
        return _core.call_numpy(numpy.einsum, operands, {"optimize": optimize}, None)
    from hassium.functions import contractions  # on demand: import stays cheap

    return contractions.einsum(operands[0], operands[1:], optimize)


def _vectors(a: Any, v: Any) -> tuple[Any, Any] | None:
    """Returns `a` and `v` in their common dtype, or None if NumPy's loop is faster."""
    a, v = _fallback.own_array(a), _fallback.own_array(v)
    if a is None or v is None or a.ndim != 1 or v.ndim != 1:
        return None
    m = v.shape[0]
    if not 0 < m <= _LONGEST or a.shape[0] < (_MANY if m <= _UNROLLED else _MANY_CALLS):
        return None
    dtype = numpy.promote_types(a.dtype, v.dtype)
    # NumPy adds products of float16 in float32, and does not add bools.
    if dtype.char == "e" or dtype.kind not in "iuf":
        return None
    return a.astype(dtype, copy=False), v.astype(dtype, copy=False)


def _sum_of_products(a: Any, factors: list[Any]) -> Any:
    """Returns for each window of `a` the sum of its products with `factors`, from the left."""
    n = a.shape[0] - len(factors) + 1
    total = a[:n] * factors[0]
    if a.dtype.kind == "f":
        total = total + 0.0  # NumPy starts with 0: a sum is never -0
    for k, factor in enumerate(factors[1:], 1):
        total = total + a[k : k + n] * factor
    return total


def _slid(a: Any, factors: list[Any], mode: str) -> Any:
    """Returns sums of products of `a` with `factors` sliding over it; `mode` rules the ends."""
    n, m = a.shape[0], len(factors)
    whole = _sum_of_products(a, factors)
    if mode == "valid":
        return whole
    before, after = (m - 1, m - 1) if mode == "full" else (m // 2, m - 1 - m // 2)
    head, tail = creation.zeros(before, a.dtype), creation.zeros(after, a.dtype)
    rest = a[n - m + 1 :]
    for k, factor in enumerate(factors):
        early, late = min(before, k), min(after, m - 1 - k)
        head[before - early :] += a[k - early : k] * factor
        tail[:late] += rest[k : k + late] * factor
    return joining.concatenate((head, whole, tail))


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """One-dimensional convolution; short arrays, long kernels and rare dtypes go through NumPy."""
    # Most calls have short arrays: NumPy's loop takes no longer than a look at their dtypes.
    if getattr(a, "size", 0) < _MANY_CALLS and getattr(v, "size", 0) < _MANY_CALLS:
        return NotImplemented
    vectors = _vectors(a, v) or _vectors(v, a)
    if vectors is None or mode not in ("full", "same", "valid"):
        return NotImplemented
    long, short = vectors
    return _slid(long, short[::-1].tolist(), mode)


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """One-dimensional cross-correlation, native where `convolve` is and `v` is the shorter."""
    if getattr(a, "size", 0) < _MANY_CALLS:
        return NotImplemented
    vectors = _vectors(a, v)
    if vectors is None or mode not in ("full", "same", "valid"):
        return NotImplemented
    return _slid(vectors[0], vectors[1].tolist(), mode)
