"""Histograms: uniform bins by recorded arithmetic, bins of several axes by search. Points are
counted on all cores; NumPy adds up weights."""

from __future__ import annotations

import builtins
import math
import numbers
import operator
import sys
from typing import Any, NamedTuple

import numpy

from hassium import _core, _fallback
from hassium.functions import creation

_U = _core.ufuncs

__all__ = ["bincount", "histogram", "histogram2d", "histogramdd"]

_COUNT = _core.routine("bincount", -1)
_SEARCH_BEHIND = _core.routine("searchsorted", 1, 1)


class Bins(NamedTuple):
    """Uniform bins, and the quantities from which NumPy computes bin numbers."""

    first: Any
    last: Any
    number: int
    edges: Any
    step: Any


def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """Counts how often each number from 0 on occurs in a vector of integers.

    Arguments other than hassium vectors go through NumPy.
    """
    return _core.bincount(x, weights, minlength)


def _counts(name: str, index: Any, bins: int, weights: Any) -> Any:
    """Returns the number of points in each bin, or the sums of their weights."""
    if weights is None:
        return _COUNT(index, bins)
    found = _core.bincount(index, weights, bins)
    if found is not NotImplemented:
        return found
    options = {"minlength": bins, "weights": weights}
    return _fallback.call(name, numpy.bincount, (index,), options)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Returns the number of elements in each bin, or the sums of their weights, and the bin edges.

    Bins that are not given by their number, and weights that are not floats, go through NumPy.
    """
    x, w = _plain(a, "iuf"), _plain(weights, "f")
    uniform = None
    if x is not None and (weights is None or (w is not None and w.shape == x.shape)):
        x = x.ravel()
        uniform = _bins(x, bins, range)
    if uniform is None:
        return NotImplemented
    summed = None if w is None else w.ravel()
    index = _numbers_of_bins(x, uniform, all_inside=range is None)
    counts = _counts("histogram", index, uniform.number + 1, summed)
    counts = counts[: uniform.number]
    if w is not None:
        counts = counts.astype(w.dtype, copy=False)
    if density:
        widths = (uniform.edges[1:] - uniform.edges[:-1]).astype(float, copy=False)
        counts = counts / widths / counts.sum()
    return counts, uniform.edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Returns points per cell of a grid, or the sums of their weights, and the edges of each axis.

    Arguments other than two vectors of real numbers go through NumPy.
    """
    columns = [_plain(x, "iuf"), _plain(y, "iuf")]
    if any(c is None or c.ndim != 1 or c.size != columns[0].size for c in columns):
        return NotImplemented
    if not _is_single(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    found = _joint(columns, bins, range, density, weights)
    return NotImplemented if found is None else (found[0], *found[1])


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Returns points per cell of a grid, by the rows of `sample`, and the edges of each axis.

    Samples other than a hassium matrix of real numbers go through NumPy.
    """
    points = _plain(sample, "iuf") if type(sample) is _core.ndarray else None
    if points is None or points.ndim != 2 or points.shape[1] == 0:
        return NotImplemented
    columns = [points[:, k] for k in builtins.range(points.shape[1])]
    found = _joint(columns, bins, range, density, weights)
    return NotImplemented if found is None else found


def _joint(
    columns: list[Any], bins: Any, limits: Any, density: Any, weights: Any
) -> tuple[Any, list[Any]] | None:
    """Returns the histogram with an axis for each column, or None to fall back to NumPy."""
    rank = len(columns)
    w = None if weights is None else _plain(weights, "iuf")
    if weights is not None and (w is None or w.shape != columns[0].shape):
        return None
    dtype = numpy.result_type(*[c.dtype for c in columns])
    columns = [c.astype(dtype, copy=False) for c in columns]
    each = [bins] * rank if _is_single(bins) else bins
    limits = (None,) * rank if limits is None else limits
    if len(each) != rank or len(limits) != rank:
        return None
    edges = [_edges_along(*axis) for axis in zip(columns, each, limits, strict=True)]
    if any(e is None for e in edges):
        return None
    # One more bin at each end, for outliers.
    shape = [e.size + 1 for e in edges]
    if math.prod(shape) > sys.maxsize:
        return None
    index: Any = 0
    for column, along, extent in zip(columns, edges, shape, strict=True):
        bin_ = _SEARCH_BEHIND(along, column)
        # The last bin includes both of its edges.
        index = index * extent + (bin_ - (column == along[-1]))
    counts = _counts("histogramdd", index, math.prod(shape), w)
    counts = counts.reshape(shape).astype(float)[(slice(1, -1),) * rank]
    if density:
        whole = counts.sum()
        for axis, along in enumerate(edges):
            widths = along[1:] - along[:-1]
            counts = counts / widths.reshape([-1 if k == axis else 1 for k in range(rank)])
        counts = counts / whole
    return counts, edges


def _is_single(bins: Any) -> bool:
    try:
        len(bins)
    except TypeError:
        return True
    return False


def _edges_along(x: Any, bins: Any, limits: Any) -> Any:
    """Returns the bin edges along one axis, or None if NumPy must compute them or raise."""
    if _is_single(bins):
        outer = _outer_edges(x, bins, limits)
        return None if outer is None else creation.linspace(*outer)
    edges = _plain(bins, "iuf")
    if edges is None or edges.ndim != 1 or edges.size < 2 or (edges[:-1] > edges[1:]).any():
        return None
    return edges


def _plain(a: Any, kinds: str) -> Any:
    """Returns `a` as a hassium array of one of the kinds but not float16, or None."""
    x = None if a is None else _fallback.own_array(a)
    return x if x is not None and x.dtype.kind in kinds and x.dtype.char != "e" else None


def _outer_edges(x: Any, bins: Any, limits: Any) -> tuple[Any, Any, int] | None:
    """Returns the first and last edge and their number, or None to fall back to NumPy."""
    try:
        count = operator.index(bins)
        first, last = _limits(x) if limits is None else limits
    except (TypeError, ValueError):
        return None
    if not (_is_number(first) and _is_number(last) and first <= last):
        return None
    if count < 1 or not math.isfinite(float(last) - float(first)):
        return None
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last, count + 1


def _bins(x: Any, bins: Any, limits: Any) -> Bins | None:
    """Returns the bins, or None if NumPy must compute them or raise."""
    outer = _outer_edges(x, bins, limits)
    if outer is None:
        return None
    first, last, number = outer
    dtype = numpy.result_type(first, last, x.dtype)
    if dtype.kind in "iu":
        dtype = numpy.result_type(dtype, float)
    # NumPy computes the edges: comparing recorded ones would flush all pending work.
    edges, step = numpy.linspace(first, last, number, dtype=dtype, retstep=True)
    if step == 0 or (edges[:-1] >= edges[1:]).any():
        return None
    return Bins(first, last, number - 1, creation.array(edges, copy=False), step)


def _is_number(x: Any) -> bool:
    """Returns whether it is a real number, but not a lazy scalar, which passes for one."""
    kind: type = type(x)
    return isinstance(x, numbers.Real) and kind not in (bool, _core.scalar)


def _limits(x: Any) -> tuple[Any, Any]:
    if x.size == 0:
        return 0, 1
    least, most = x.min(keepdims=True), x.max(keepdims=True)  # arrays: one loop computes both
    return numpy.asarray(least)[0], numpy.asarray(most)[0]


def _numbers_of_bins(x: Any, bins: Bins, all_inside: bool) -> Any:
    """Returns the bin of each element, or the number of bins for elements outside all of them.

    With `all_inside` elements are not tested.

    Elements at edges are counted as NumPy does: a quotient in NumPy's dtype, corrected by one where
    the bin's edges show that it rounded to the wrong side. Edges are recomputed from their number
    as by `linspace`, which is less work than looking them up.
    """
    first, last, count, edges, _ = bins
    y = x.astype(edges.dtype, copy=False)
    if not all_inside:
        inside = (x >= first) & (x <= last)
        y = _U["where"](inside, y, edges.dtype.type(first))
    # A register holds twice as many int32.
    index_dtype = numpy.int32 if count < numpy.iinfo(numpy.int32).max else numpy.intp
    index = _quotients(_U["subtract"](y, first), _difference(last, first), count)
    index = _U["minimum"](index.astype(index_dtype), count - 1)
    index = index - (y < _edge(index, bins))
    index = index + ((y >= _edge(index + 1, bins)) & (index != count - 1))
    return index if all_inside else _U["where"](inside, index, index_dtype(count))


_TINY = float(numpy.finfo(float).tiny)


def _quotients(offsets: Any, width: Any, count: int) -> Any:
    """Returns offsets / width * count, less than one off.

    NumPy's quotient may be further off where bins are too many for the dtype: it is computed then.
    """
    factor = count / float(width)
    # A product takes less time than a quotient.
    if offsets.dtype.char == "d" and _TINY <= factor < math.inf and count < 2**48:
        return offsets * factor
    return offsets / width * count


def _difference(last: Any, first: Any) -> Any:
    """Returns `last` minus `first`; unsigned for integers, whose difference may overflow."""
    dtype = numpy.result_type(last, first)
    if dtype.kind != "i":
        return numpy.subtract(last, first, dtype=dtype)
    unsigned = numpy.dtype(f"u{dtype.itemsize}")
    ends = numpy.asarray(last, dtype), numpy.asarray(first, dtype)
    return numpy.subtract(*ends, casting="unsafe", dtype=unsigned)


def _edge(index: Any, bins: Bins) -> Any:
    working = bins.step.dtype
    found = index.astype(working) * bins.step + working.type(bins.first)
    return found.astype(bins.edges.dtype, copy=False)
