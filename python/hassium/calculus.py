"""Differences, sums and polynomials of sampled functions, recorded operation by operation."""

from __future__ import annotations

import numbers
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from hassium import _core, _fallback, creation, elementwise
from hassium._core import asarray

__all__ = ["gradient", "polyval", "trapezoid"]


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Gradient by central differences, one-sided ones at the ends: a tuple for several axes.

    Spacings that are no numbers are NumPy's to deal with.
    """
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    plain = type(f) is _core.ndarray and all(isinstance(step, numbers.Real) for step in varargs)
    if not plain or len(varargs) not in (0, 1, len(axes)):
        options = {"axis": axis, "edge_order": edge_order}
        return _fallback.call("gradient", numpy.gradient, (f, *varargs), options)
    if edge_order > 2:
        raise ValueError("[gradient] 'edge_order' greater than 2 not supported")
    if not numpy.issubdtype(f.dtype, numpy.inexact):
        f = f.astype(numpy.float64)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    found = tuple(_slope(f, k, step, edge_order) for k, step in zip(axes, steps, strict=True))
    return found[0] if len(found) == 1 else found


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "[gradient] Shape of array too small to calculate a numerical gradient, "
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
    """The polynomial with the coefficients `p`, of the highest power first, at `x`."""
    factors = numpy.asarray(p)
    if isinstance(x, numpy.poly1d) or factors.ndim != 1:
        return _fallback.call("polyval", numpy.polyval, (p, x), {})
    x = asarray(x)
    y = creation.zeros_like(x)
    for factor in factors:
        y = y * x + factor
    return y


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral along an axis by the trapezoidal rule, of samples `dx` apart or at `x`."""
    y = asarray(y)
    width = dx
    if x is not None:
        x = asarray(x)
        width = elementwise.diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = width.shape[0]
            width = width.reshape(shape)
    later: list[Any] = [slice(None)] * y.ndim
    earlier: list[Any] = [slice(None)] * y.ndim
    later[axis], earlier[axis] = slice(1, None), slice(None, -1)
    return (width * (y[tuple(later)] + y[tuple(earlier)]) / 2.0).sum(axis)
