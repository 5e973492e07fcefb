"""Averages, medians, quantiles, covariances and correlations, in NumPy's order of operations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from hassium import _core, _fallback
from hassium.functions import creation, joining

_NO = numpy._NoValue
_U = _core.ufuncs
_sum = _U["add"].reduce

__all__ = ["average", "corrcoef", "cov", "median", "nanmedian", "percentile", "quantile"]

_MANY = 10_000  # elements whose partition takes NumPy longer than checking the arguments


def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = _NO,
) -> Any:
    """Average, weighted or not; with `returned` also the sum of the weights.

    The sum of the weights is read, as zero is an error at the call.
    """
    x = _fallback.own_array(a)
    w = None if weights is None else _fallback.own_array(weights)
    if x is None or (w is None and weights is not None):
        options = {} if keepdims is _NO else {"keepdims": keepdims}
        return _fallback.call("average", numpy.average, (a, axis, weights, returned), options)
    if axis is not None:
        axis = normalize_axis_tuple(axis, x.ndim, argname="axis")
    keep = keepdims is not _NO and keepdims
    if w is None:
        found = x.mean(axis, keepdims=keep)
        scale = found.dtype.type(x.size / found.size)
    else:
        w = _as_weights(x, w, axis)
        kinds = (x.dtype, w.dtype, float) if x.dtype.kind in "iub" else (x.dtype, w.dtype)
        dtype = numpy.result_type(*kinds)
        scale = _sum(w, axis, dtype, None, keep)
        if bool((scale == 0.0).any() if scale.ndim else scale == 0.0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        found = _sum(_U["multiply"](x, w, dtype=dtype), axis, None, None, keep) / scale
    if not returned:
        return found
    if scale.shape != found.shape:
        scale = creation.copy(_core.broadcast_to(creation.asarray(scale), found.shape))
    return found, scale


def _as_weights(x: Any, w: Any, axis: Any) -> Any:
    """Returns the weights in a shape that broadcasts to that of `x`."""
    if x.shape == w.shape:
        return w
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(x.shape[k] for k in axis):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    order = sorted(range(len(axis)), key=lambda k: axis[k])
    return w.transpose(order).reshape([n if k in axis else 1 for k, n in enumerate(x.shape)])


def _rows(x: Any, dtype: Any, rowvar: bool) -> Any:
    """Returns a matrix with one variable per row, in `dtype`."""
    x = x.astype(dtype, copy=False)
    return x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T


def _variables(m: Any, y: Any, rowvar: bool, dtype: Any) -> Any:
    """Returns the variables of `m` and `y` as rows, or None to fall back to NumPy."""
    parts = [_fallback.own_array(part) for part in (m, y) if part is not None]
    if any(part is None or part.ndim > 2 for part in parts):
        return None
    kinds = [part.dtype for part in parts]
    wanted = numpy.result_type(*kinds, float) if dtype is None else numpy.dtype(dtype)
    if wanted.char not in "dfDF" or (wanted.kind == "f" and any(k.kind == "c" for k in kinds)):
        return None
    x = _rows(parts[0], wanted, rowvar)
    if len(parts) == 1 or x.shape[0] == 0:
        return x
    other = parts[1].astype(wanted, copy=False)
    other = other.reshape(1, -1) if other.ndim < 2 else other
    if not rowvar and other.shape[0] != 1:
        other = other.T
    return joining.concatenate((x, other), 0)


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """Covariances of variables, one per row (or per column without `rowvar`).

    Frequencies and weights of observations go through NumPy.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    weighted = fweights is not None or aweights is not None
    x = None if weighted else _variables(m, y, rowvar, dtype)
    if x is None:
        return NotImplemented
    found, few = _covariances(x, (1 if bias == 0 else 0) if ddof is None else ddof)
    if few:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    return found


def _covariances(x: Any, ddof: Any) -> tuple[Any, bool]:
    """Returns the covariance matrix, and whether there are too few observations for it."""
    if x.shape[0] == 0:
        return creation.empty((0, 0)), False
    freedom = x.shape[1] - ddof
    few = bool(freedom <= 0)
    off = x - x.mean(1)[:, None]
    found = _core.dot_product(off, off.T.conj())
    found *= numpy.true_divide(1, 0.0 if few else freedom)
    return found.squeeze(), few


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Correlation coefficients of variables, one per row (or per column without `rowvar`)."""
    rows = _variables(x, y, rowvar, dtype)
    if rows is None:
        return NotImplemented
    found, few = _covariances(rows, 1)
    if few:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    if found.ndim == 0:
        return found / found
    deviations = _U["sqrt"](found.diagonal().real)
    found /= deviations[:, None]
    found /= deviations[None, :]
    # Clips the parts of complex numbers too, which bounds their magnitudes at little cost.
    for part in (found.real, found.imag) if found.dtype.kind == "c" else (found,):
        _U["clip"](part, -1, 1, out=part)
    return found


def _ranked(a: Any, out: Any) -> Any:
    """Returns the array to rank here, or None to fall back to NumPy."""
    if out is not None or getattr(a, "size", 0) < _MANY:
        return None
    x = _fallback.own_array(a)
    return x if x is not None and x.dtype.char in "fdbBhHiIlL" else None


def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    """Median of all elements or along axes: the middle element, or the mean of the middle two.

    Few elements, a long line with NaNs, and outputs go through NumPy.
    """
    x = _ranked(a, out)
    if x is None or x.ndim == 0:
        return NotImplemented
    from hassium.functions import ranks  # on demand: import stays cheap

    return ranks.median(x, axis, bool(keepdims))


def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = _NO,
) -> Any:
    """Median ignoring NaN; along axes through NumPy."""
    x = _ranked(a, out) if axis is None else None
    if x is None or x.dtype.kind != "f" or (keepdims is not _NO and keepdims):
        return NotImplemented
    numbers = x[x == x]
    found: Any = median(numbers)
    return NotImplemented if found is NotImplemented else found


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """Quantiles `q` of the elements, by linear interpolation.

    Falls back to NumPy where `median` does, and for other methods, weights and many quantiles.
    """
    x = _ranked(a, out) if weights is None and method == "linear" else None
    return _quantile(x, q, 1, axis, keepdims)


def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """Percentiles `q` of the elements, by linear interpolation."""
    x = _ranked(a, out) if weights is None and method == "linear" else None
    return _quantile(x, q, 100, axis, keepdims)


def _quantile(x: Any, q: Any, whole: int, axis: Any, keepdims: Any) -> Any:
    if x is None or x.ndim == 0 or not isinstance(q, (int, float, list, tuple, numpy.ndarray)):
        return NotImplemented
    shares = numpy.asanyarray(q if whole == 1 else numpy.true_divide(q, whole))
    if shares.dtype.kind != "f" or not ((shares >= 0) & (shares <= 1)).all():
        return NotImplemented
    from hassium.functions import ranks  # on demand: import stays cheap

    return ranks.quantile(x, shares, axis, bool(keepdims), type(q) in (int, float))
