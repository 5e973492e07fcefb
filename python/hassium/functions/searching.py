"""Sorting, and searches in sorted vectors."""

from __future__ import annotations

from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium.functions import creation, manipulation

__all__ = ["argsort", "digitize", "interp", "lexsort", "searchsorted", "sort", "unique"]

# Lines of integers up to that length, in at least so many elements, are sorted by recorded minima
# and maxima.
_SHORT, _MANY = 16, 30_000
_MOST_INT = (1 << 63) - 1
_FEW = 2000  # elements that NumPy sorts in the time of a few calls
_BEHIND = {"left": False, "right": True}

# Routines by stability, and by whether a value goes behind equal elements.
_SORT = {stable: _core.routine("sort", 0, int(stable)) for stable in (False, True)}
_ARGSORT = {stable: _core.routine("argsort", 0, int(stable)) for stable in (False, True)}
_SEARCH = {behind: _core.routine("searchsorted", 1, int(behind)) for behind in (False, True)}
_U = _core.ufuncs
_COUNT = _core.routine("bincount", -1)
_INTERPOLATE = _core.routine("interp")
_KINDS = {"quicksort": False, "stable": True, "mergesort": True}


def _is_stable(kind: Any, order: Any, stable: Any) -> bool | None:
    """Returns whether the sort must be stable, or None if NumPy has to check the arguments."""
    if order is not None or (stable is not None and kind is not None):
        return None
    if kind is None:
        return bool(stable)
    return _KINDS.get(kind) if type(kind) is str else None


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """Sorted copy: lines by NumPy's routine on all cores, a long line in pieces."""
    in_order = _is_stable(kind, order, stable)
    if type(a) is not _core.ndarray or in_order is None or a.ndim == 0:
        return NotImplemented
    x = a.reshape(-1) if axis is None else a
    if x.ndim == 1 and axis in (-1, 0, None):
        return _SORT[in_order](x)
    if type(axis) is not int:
        return NotImplemented
    axis = normalize_axis_index(axis, x.ndim)
    if x.shape[axis] <= _SHORT and x.size >= _MANY and x.dtype.kind in "iu":
        return _sorted_short(x, axis)
    lines = x if axis == x.ndim - 1 else manipulation.moveaxis(x, axis, -1)
    found = manipulation.moveaxis(_SORT[in_order](lines), -1, axis)
    result = creation.empty_like(x)
    if result.strides == found.strides:
        return found
    result[...] = found
    return result


def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    """Positions that sort the lines along `axis`, by NumPy's routine on all cores.

    A stable sort of one line of integers of small range is a counting sort.
    """
    in_order = _is_stable(kind, order, stable)
    if type(a) is not _core.ndarray or in_order is None or a.ndim == 0:
        return NotImplemented
    x = a.reshape(-1) if axis is None else a
    if x.ndim == 1 and axis in (-1, 0, None):
        return _ARGSORT[in_order](x)
    if type(axis) is not int:
        return NotImplemented
    axis = normalize_axis_index(axis, x.ndim)
    if axis == x.ndim - 1:
        return _ARGSORT[in_order](x)
    positions = _ARGSORT[in_order](manipulation.moveaxis(x, axis, -1))
    return manipulation.moveaxis(positions, -1, axis).copy()


def lexsort(keys: Any, axis: Any = -1) -> Any:
    """Positions that sort vectors by the last key, equal ones by the key before, and so on.

    Keys of several axes and short keys go through NumPy.
    """
    if type(keys) not in (tuple, list, _core.ndarray) or axis not in (-1, 0) or len(keys) == 0:
        return NotImplemented
    if getattr(keys[0], "size", 0) < _FEW:
        return NotImplemented
    rows = [_fallback.own_array(key) for key in keys]
    if any(type(row) is not _core.ndarray or row.ndim != 1 for row in rows):
        return NotImplemented
    if any(row.size != rows[0].size for row in rows):
        return NotImplemented  # NumPy raises an error
    order = _ARGSORT[True](rows[0])
    for row in rows[1:]:
        order = order[_ARGSORT[True](row[order])]
    return order


def _sorted_short(x: Any, axis: int) -> Any:
    """Sorts all lines at once by recorded minima and maxima; not for NaNs, which would spread."""
    from hassium.functions import ranks  # on demand: import stays cheap

    lines = [x[(*(slice(None),) * axis, k)] for k in range(x.shape[axis])]
    found = creation.empty(x.shape, x.dtype)
    for k, line in enumerate(ranks.sorted_by_network(lines, list(range(len(lines))))):
        found[(*(slice(None),) * axis, k)] = line
    return found


def _small(x: Any) -> tuple[Any, int, int] | None:
    """Returns `x` minus its minimum, the number of possible values, and the minimum.

    Returns None unless it is a vector of integers whose range is smaller than their number.
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
    """Sorted distinct elements, the position of each element of `ar` among them, and counts.

    Integers of small range are counted; all others go through NumPy.
    """
    del equal_nan, sorted  # integers are never NaN, and counting sorts them
    if type(ar) is not _core.ndarray or ar.size < _FEW or return_index or axis is not None:
        return NotImplemented
    small = _small(ar.reshape(-1))
    if small is None:
        return NotImplemented
    places, bins, least = small
    counts: Any = _COUNT(places, bins)
    present = counts != 0
    values = present.nonzero()[0]
    found = [(values + least).astype(ar.dtype, copy=False)]
    if return_inverse:
        found.append((present.cumsum() - 1)[places].reshape(ar.shape))
    if return_counts:
        found.append(counts[values])
    return found[0] if len(found) == 1 else tuple(found)


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Positions in the sorted vector `a` where `v` would be inserted, on one side of equal ones.

    A `sorter` and objects go through NumPy.
    """
    if sorter is not None or type(side) is not str or side not in _BEHIND:
        return NotImplemented
    return _search(a, v, _BEHIND[side])


def _search(a: Any, v: Any, behind: bool) -> Any:
    if type(a) is not _core.ndarray or a.ndim != 1:
        return NotImplemented
    return _SEARCH[behind](a, v)


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """Bin number of each element, for rising or falling edges; the edges are read."""
    values, edges = _fallback.own_array(x), _fallback.own_array(bins)
    if type(values) is not _core.ndarray or type(edges) is not _core.ndarray or edges.ndim != 1:
        return NotImplemented
    rising = bool((edges[:-1] <= edges[1:]).all())
    if not rising and not (edges[:-1] >= edges[1:]).all():
        return NotImplemented  # NumPy raises an error
    found = _search(edges if rising else edges[::-1], values, not right)
    return found if rising or found is NotImplemented else edges.size - found


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Piecewise linear interpolation at `x` of the points (`xp`, `fp`), `xp` rising.

    `xp` is read. Python numbers, complex values and periods go through NumPy.
    """
    if type(x) is not _core.ndarray or period is not None:
        return NotImplemented
    if type(xp) is not _core.ndarray or type(fp) is not _core.ndarray:
        xp, fp = _fallback.own_array(xp), _fallback.own_array(fp)
    # In another order NumPy's search still finds something.
    found = _INTERPOLATE(x, xp, fp) if _core.are_points(xp, fp) else NotImplemented
    if found is NotImplemented:
        return NotImplemented
    for end, at, beyond in ((left, 0, "less"), (right, -1, "greater")):
        if end is None:
            continue
        if type(end) not in (int, float):
            return NotImplemented
        found = _U["where"](_U[beyond](x, xp[at]), float(end), found)
    return found
