"""Sorting, and functions that find where values belong among sorted ones."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium.functions import creation, joining, manipulation

__all__ = ["argsort", "digitize", "interp", "searchsorted", "sort", "unique"]

# Elements that one core sorts in the time it takes to share them out.
_MANY = 30_000
# Of a line: what a run has at least, and elements that are looked at for its pivots.
_PIECE, _SAMPLE = 50_000, 1000
_SHORT = 16  # elements of lines of integers that are compared with one another
_MOST_INT = (1 << 63) - 1
_FEW = 2000  # elements among which NumPy finds those that differ in the time of a look at them
_BEHIND = {"left": False, "right": True}


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """A sorted copy: lines by NumPy's own routine on all cores, a long line piece by piece.

    Few elements, stable sorts of floats, fields and complex numbers go through NumPy.
    """
    if type(a) is not _core.ndarray or a.size < _MANY or a.dtype.kind == "c":
        return NotImplemented
    if order is not None or (stable is not None and kind is not None):
        return NotImplemented
    # Equal integers are the same in any order.
    in_order = stable or kind in ("stable", "mergesort")
    if kind not in (None, "quicksort", "stable", "mergesort") or (in_order and a.dtype.kind == "f"):
        return NotImplemented
    x = a.reshape(-1) if axis is None else a
    axis = -1 if axis is None else axis
    if type(axis) is not int:
        return NotImplemented
    axis = normalize_axis_index(axis, x.ndim)
    if x.size == x.shape[axis]:
        line = _sorted_line(x.reshape(-1))
        return line if line is NotImplemented else line.reshape(x.shape)
    if x.shape[axis] <= _SHORT and x.dtype.kind in "iu":
        return _sorted_short(x, axis)
    lines = manipulation.moveaxis(x, axis, -1).copy()
    if not _core.sort_runs(lines):
        return NotImplemented
    back = manipulation.moveaxis(lines, -1, axis)
    found = creation.empty_like(x)
    if found.strides == back.strides:
        return back
    found[...] = back
    return found


def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    """Positions that sort the lines along `axis`, by NumPy's own routine on all cores.

    One line of integers that lie close together is counted, if equal ones are to stay in order.
    Other single lines, few elements, fields and complex numbers go through NumPy.
    """
    plain = order is None and kind in (None, "quicksort", "stable", "mergesort")
    if not plain or type(a) is not _core.ndarray or a.size < _FEW or a.dtype.kind == "c":
        return NotImplemented
    if type(axis) is not int or (stable is not None and kind is not None):
        return NotImplemented
    axis = normalize_axis_index(axis, a.ndim)
    in_order = bool(stable) or kind in ("stable", "mergesort")
    if a.size == a.shape[axis]:
        small = _small(a.reshape(-1)) if in_order else None
        found = None if small is None else _core.order_by_bins(*small[:2])
        return NotImplemented if found is None else found.reshape(a.shape)
    if a.size < _MANY:
        return NotImplemented
    last = axis == a.ndim - 1
    lines = a if last else manipulation.moveaxis(a, axis, -1)
    lines = lines if lines.flags.c_contiguous else lines.copy()
    positions = creation.empty(lines.shape, "int64")
    if not _core.argsort_lines(lines, positions, in_order):
        return NotImplemented
    return positions if last else manipulation.moveaxis(positions, -1, axis).copy()


def _sorted_short(x: Any, axis: int) -> Any:
    """All lines at once, by recorded minima and maxima. A nan would meet its neighbours."""
    from hassium.functions import ranks  # when one is asked for: import stays cheap

    lines = [x[(*(slice(None),) * axis, k)] for k in range(x.shape[axis])]
    found = creation.empty(x.shape, x.dtype)
    for k, line in enumerate(ranks.sorted_by_network(lines, list(range(len(lines))))):
        found[(*(slice(None),) * axis, k)] = line
    return found


def _sorted_line(x: Any) -> Any:
    """What lies below each pivot of a sample makes a run, and cores sort the runs.

    Bytes are counted as they lie.
    """
    if x.dtype.itemsize == 1:
        line = x.copy()
        return line if _core.sort_runs(line) else NotImplemented
    pieces = min(_core.thread_count(), x.size // _PIECE)
    sample = numpy.sort(numpy.asarray(x[:: x.size // _SAMPLE]))
    pivots = sample[[k * sample.size // pieces for k in range(1, pieces)]]
    pivots = pivots[pivots == pivots]  # no nan: nothing is below it, not even what others are above
    if pivots.size == 0:
        return NotImplemented
    below = [x < pivot for pivot in pivots]
    # Nans are below nothing.
    masks = [below[0], *(more & ~less for less, more in itertools.pairwise(below)), ~below[-1]]
    runs = [x[mask] for mask in masks]
    line = joining.concatenate(runs)
    ends = tuple(itertools.accumulate(run.size for run in runs))
    return line if _core.sort_runs(line, ends) else NotImplemented


def _small(x: Any) -> tuple[Any, int, int] | None:
    """`x` less some number, so that it is neither negative nor beyond so many; and that number.

    None where it is no vector of integers that lie closer together than they are many.
    """
    if x.dtype.kind not in "iu":
        return None
    least, most = int(x.min()), int(x.max())
    if most - least >= x.size or most > _MOST_INT:
        return None
    if least >= 0 and most < x.size and x.dtype.char not in "LQ":
        return x, most + 1, 0
    # Every difference is less than the number of elements.
    wide = x if x.dtype.char in "LQ" else x.astype("int64", copy=False)
    return (wide - least).astype("int64", copy=False), most - least + 1, least


def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """The elements that differ, in order, where each of `ar` is among them, and how many equal it.

    Integers that lie close together are counted; all others go through NumPy.
    """
    del equal_nan, sorted  # integers are no nans, and what is counted is in order
    if type(ar) is not _core.ndarray or ar.size < _FEW or return_index or axis is not None:
        return NotImplemented
    small = _small(ar.reshape(-1))
    if small is None:
        return NotImplemented
    places, bins, least = small
    counts: Any = _core.bincount(places, bins)
    if counts is None:
        return NotImplemented
    present = counts != 0
    values = present.nonzero()[0]
    found = [(values + least).astype(ar.dtype, copy=False)]
    if return_inverse:
        found.append((present.cumsum() - 1)[places].reshape(ar.shape))
    if return_counts:
        found.append(counts[values])
    return found[0] if len(found) == 1 else tuple(found)


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Positions in the sorted vector `a` where `v` would be put, before or behind its equals.

    `v` is looked at. What a `sorter` sorts goes through NumPy, and objects and numbers of Python.
    """
    if sorter is not None or type(side) is not str or side not in _BEHIND:
        return NotImplemented
    found = _core.search_sorted(a, v, _BEHIND[side])
    return NotImplemented if found is None else found


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """The number of the bin of each element, whose edges rise or fall; `x` is looked at."""
    values, edges = _fallback.own_array(x), _fallback.own_array(bins)
    if type(values) is not _core.ndarray or type(edges) is not _core.ndarray or edges.ndim != 1:
        return NotImplemented
    rising = bool((edges[:-1] <= edges[1:]).all())
    if not rising and not (edges[:-1] >= edges[1:]).all():
        return NotImplemented  # NumPy refuses them
    found: Any = _core.search_sorted(edges if rising else edges[::-1], values, not right)
    if found is None:
        return NotImplemented
    return found if rising else edges.size - found


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """The function through the points (`xp`, `fp`) of rising `xp`, by lines between them, at `x`.

    All are looked at. Numbers of Python, complex values and periods go through NumPy.
    """
    if type(x) is not _core.ndarray or period is not None:
        return NotImplemented
    points = (_fallback.own_array(xp), _fallback.own_array(fp))
    found = _core.interpolate(x, *points, left, right)
    return NotImplemented if found is None else found
