"""Histograms with bins of one width: the bins are found by recorded arithmetic, NumPy counts."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any, NamedTuple

import numpy

from hassium import _core, _fallback, creation

_U = _core.ufuncs

__all__ = ["histogram"]


class Bins(NamedTuple):
    """Bins of one width, and what NumPy calculates their numbers from."""

    first: Any
    last: Any
    number: int
    edges: Any
    step: Any


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Elements in each bin, or the sums of their weights, and the edges of the bins.

    Bins that are not as many as an integer says go through NumPy, and weights that are no floats.
    """
    x, w = _plain(a, "iuf"), _plain(weights, "f")
    uniform = None
    if x is not None and (weights is None or (w is not None and w.shape == x.shape)):
        x = x.ravel()
        uniform = _bins(x, bins, range)
    if uniform is None:
        return NotImplemented
    options: dict[str, Any] = {"minlength": uniform.number + 1}
    if w is not None:
        options["weights"] = w.ravel()
    # NumPy counts, and that is told as what it is.
    counts = _fallback.call("histogram", numpy.bincount, (_numbers_of_bins(x, uniform),), options)
    counts = counts[: uniform.number]
    if w is not None:
        counts = counts.astype(w.dtype, copy=False)
    if density:
        widths = (uniform.edges[1:] - uniform.edges[:-1]).astype(float, copy=False)
        counts = counts / widths / counts.sum()
    return counts, uniform.edges


def _plain(a: Any, kinds: str) -> Any:
    """`a` as an array of ours if it is of one of the kinds, and no float16."""
    x = None if a is None else _fallback.own_array(a)
    return x if x is not None and x.dtype.kind in kinds and x.dtype.char != "e" else None


def _bins(x: Any, bins: Any, limits: Any) -> Bins | None:
    """The bins; None where NumPy is to be asked, or to refuse."""
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
    dtype = numpy.result_type(first, last, x.dtype)
    if dtype.kind in "iu":
        dtype = numpy.result_type(dtype, float)
    edges, step = creation.linspace(first, last, count + 1, dtype=dtype, retstep=True)
    if step == 0 or (edges[:-1] >= edges[1:]).any():
        return None
    return Bins(first, last, count, edges, step)


def _is_number(x: Any) -> bool:
    """Whether this is a real number, and not one of ours, which says that it is."""
    kind: type = type(x)
    return isinstance(x, numbers.Real) and kind not in (bool, _core.scalar)


def _limits(x: Any) -> tuple[Any, Any]:
    if x.size == 0:
        return 0, 1
    least, most = x.min(), x.max()
    return least[()], most[()]


def _numbers_of_bins(x: Any, bins: Bins) -> Any:
    """The bin of each element; the number behind the last one for those in none.

    NumPy's arithmetic on NumPy's dtypes, so that elements at edges are counted where it counts
    them: a quotient, moved by one where the edges of the bin say that it rounded to the wrong side.
    Edges are what `linspace` makes of their number, which is less work than to look them up.
    """
    first, last, count, edges, _ = bins
    inside = (x >= first) & (x <= last)
    y = _U["where"](inside, x.astype(edges.dtype, copy=False), edges.dtype.type(first))
    width = _difference(last, first)
    index = ((_U["subtract"](y, first) / width) * count).astype(numpy.intp)
    index = _U["minimum"](index, count - 1)
    index = index - (y < _edge(index, bins))
    index = index + ((y >= _edge(index + 1, bins)) & (index != count - 1))
    return _U["where"](inside, index, numpy.intp(count))


def _difference(last: Any, first: Any) -> Any:
    """`last` less `first`, of integers as an unsigned one, which they may be too far apart for."""
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
