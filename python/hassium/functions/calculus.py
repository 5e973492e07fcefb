"""Differences, sums, phases and polynomials of samples, recorded operation by operation."""

from __future__ import annotations

import functools
import numbers
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import creation, elementwise, joining

_NO = numpy._NoValue
_U = _core.ufuncs
_NUMBERS = (int, float, numpy.number)

__all__ = ["diff", "ediff1d", "gradient", "polyval", "trapezoid", "unwrap"]


@functools.lru_cache(64)
def _halves(rank: int, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Returns keys for all but the first and all but the last elements along an axis."""
    before, after = (slice(None),) * axis, (slice(None),) * (rank - axis - 1)
    return (*before, slice(1, None), *after), (*before, slice(None, -1), *after)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _NO, append: Any = _NO) -> Any:
    """Returns the `n`-th difference along `axis` of `a` between `prepend` and `append`."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    x = _fallback.own_array(a)
    parts = [x]
    if prepend is not _NO:
        parts.insert(0, _fallback.own_array(prepend))
    if append is not _NO:
        parts.append(_fallback.own_array(append))
    if x is None or (len(parts) > 1 and any(part is None for part in parts)):
        options = {"prepend": prepend, "append": append}
        return _fallback.call("diff", numpy.diff, (a, n, axis), options)
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, x.ndim)
    if len(parts) > 1:
        one = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        parts = [part if part.ndim else _core.broadcast_to(part, one) for part in parts]
        x = joining.concatenate(parts, axis)
    later, earlier = _halves(x.ndim, axis)
    step = _U["not_equal" if x.dtype == bool else "subtract"]
    for _ in range(n):
        x = step(x[later], x[earlier])
    return x


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Returns differences of elements, between `to_begin` and `to_end`, in the dtype of `ary`."""
    x = _fallback.own_array(ary)
    if x is None:
        return _fallback.call("ediff1d", numpy.ediff1d, (ary, to_end, to_begin), {})
    x = x.ravel()
    parts = [x[1:] - x[:-1]]
    for name, given, place in (("to_begin", to_begin, 0), ("to_end", to_end, 2)):
        if given is None:
            continue
        end = _fallback.own_array(given)
        if end is None:
            return _fallback.call("ediff1d", numpy.ediff1d, (ary, to_end, to_begin), {})
        if end.dtype != x.dtype:
            if not numpy.can_cast(end.dtype, x.dtype, "same_kind"):
                raise TypeError(
                    f"dtype of `{name}` must be compatible with input `ary` under the "
                    "`same_kind` rule."
                )
            end = end.astype(x.dtype)
        parts.insert(place, end.ravel())
    return joining.concatenate(parts) if len(parts) > 1 else parts[0]


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * numpy.pi) -> Any:
    """Adds multiples of `period` to `p` so that steps along `axis` stay below half of it."""
    x = _fallback.own_array(p)
    limits = (period, 0 if discont is None else discont)
    if x is None or any(_core.scalar is type(n) or not isinstance(n, _NUMBERS) for n in limits):
        options = {"discont": discont, "axis": axis, "period": period}
        return _fallback.call("unwrap", numpy.unwrap, (p,), options)
    step = diff(x, axis=axis)
    dtype = numpy.result_type(step.dtype, period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
    else:
        high, rest = period / 2, 0
    low = -high
    short = _U["remainder"](step - low, period) + low
    if rest == 0:  # +half and -half a period are the same step: keep the sign
        short = elementwise.where((short == low) & (step > 0), high, short)
    small = abs(step) < (period / 2 if discont is None else discont)
    mended = elementwise.where(small, 0, short - step)
    later, _ = _halves(x.ndim, normalize_axis_index(axis, x.ndim))
    found = creation.array(x, dtype, copy=True)
    found[later] = x[later] + mended.cumsum(axis)
    return found


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Gradient by central differences, one-sided at the ends: a tuple for several axes.

    Spacings that are not numbers go through NumPy.
    """
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    plain = type(f) is _core.ndarray and all(isinstance(step, numbers.Real) for step in varargs)
    if not plain or len(varargs) not in (0, 1, len(axes)):
        options = {"axis": axis, "edge_order": edge_order}
        return _fallback.call("gradient", numpy.gradient, (f, *varargs), options)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if numpy.issubdtype(f.dtype, numpy.integer):
        f = f.astype(numpy.float64)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    found = tuple(_slope(f, k, step, edge_order) for k, step in zip(axes, steps, strict=True))
    return found[0] if len(found) == 1 else found


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )

    def part(key: Any) -> Any:
        return (*(slice(None),) * axis, key)

    found = creation.empty_like(f)
    inside = f[part(slice(2, None))] - f[part(slice(None, -2))]
    found[part(slice(1, -1))] = inside / (2.0 * step)
    if edge_order == 1:
        found[part(0)] = (f[part(1)] - f[part(0)]) / step
        found[part(-1)] = (f[part(-1)] - f[part(-2)]) / step
        return found
    found[part(0)] = -1.5 / step * f[part(0)] + 2.0 / step * f[part(1)] + -0.5 / step * f[part(2)]
    last = 0.5 / step * f[part(-3)] + -2.0 / step * f[part(-2)] + 1.5 / step * f[part(-1)]
    found[part(-1)] = last
    return found


def polyval(p: Any, x: Any) -> Any:
    """Evaluates at `x` the polynomial with the coefficients `p`, highest power first."""
    factors = numpy.asarray(p)
    if isinstance(x, numpy.poly1d) or factors.ndim != 1:
        return _fallback.call("polyval", numpy.polyval, (p, x), {})
    x = asarray(x)
    y = creation.zeros_like(x)
    for factor in factors:
        y = y * x + factor
    return y


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integrates along an axis by the trapezoidal rule, over samples `dx` apart or at `x`."""
    y = asarray(y)
    width = dx
    if x is not None:
        x = asarray(x)
        width = diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = width.shape[0]
            width = width.reshape(shape)
    later: list[Any] = [slice(None)] * y.ndim
    earlier: list[Any] = [slice(None)] * y.ndim
    later[axis], earlier[axis] = slice(1, None), slice(None, -1)
    return (width * (y[tuple(later)] + y[tuple(earlier)]) / 2.0).sum(axis)
