"""Deletion and insertion of elements.

Positions are computed at the call; the elements move when the rest is computed.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium._core import array
from hassium.functions import creation

__all__ = ["delete", "insert"]


def _along(arr: Any, axis: Any) -> tuple[Any, int]:
    """Returns the array and the axis; without an axis, those of the flattened array."""
    if axis is not None:
        return arr, normalize_axis_index(axis, arr.ndim)
    return (arr if arr.ndim == 1 else arr.ravel()), 0


def _like(arr: Any, axis: int, extent: int) -> Any:
    """Returns memory for an array like `arr` with another extent along `axis`."""
    shape = [extent if k == axis else n for k, n in enumerate(arr.shape)]
    return creation.empty(shape, arr.dtype, "F" if arr.flags.fnc else "C")


def _at(axis: int, index: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * axis, index)


def _move_halves(result: Any, arr: Any, axis: int, to: tuple[int, int], of: int, on: int) -> None:
    """Copies the part before `of` and the part from `on` on to either side of an interval."""
    for target, source in (
        (slice(None, to[0]), slice(None, of)),
        (slice(to[1], None), slice(on, None)),
    ):
        result[_at(axis, target)] = arr[_at(axis, source)]


def _place(name: str, index: Any, axis: int, first: int, last: int, extent: int) -> Any:
    if not first <= index <= last:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return index + extent if index < 0 else index


def _without(arr: Any, axis: int, start: int, stop: int) -> Any:
    result = _like(arr, axis, arr.shape[axis] - (stop - start))
    _move_halves(result, arr, axis, (start, start), start, stop)
    return result


def _kept(obj: Any, extent: int) -> Any:
    """Returns for each position whether `obj`, a NumPy array, keeps it."""
    if obj.dtype == bool:
        if obj.shape != (extent,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match "
                f"the axis length of {extent}"
            )
        return ~obj
    keep = numpy.ones(extent, bool)
    try:
        keep[obj,] = False
    except IndexError as error:
        raise IndexError(f"{error}") from None
    return keep


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Returns a copy of `arr` without the elements that `obj` selects along `axis`."""
    own = _fallback.own_array(arr)
    if own is None:
        return NotImplemented
    arr, axis = _along(own, axis)
    extent = arr.shape[axis]
    if isinstance(obj, slice):
        gone = range(extent)[obj]
        if not gone:
            return arr.copy("F" if arr.flags.fnc else "C")
        if gone.step in (1, -1):
            return _without(arr, axis, min(gone), max(gone) + 1)
        keep = _kept(numpy.array(gone), extent)
        result = _like(arr, axis, extent - len(gone))
        result[...] = arr[_at(axis, keep)]
        return result
    if not isinstance(obj, (int, numpy.integer)) or isinstance(obj, bool):
        empty = not isinstance(obj, (numpy.ndarray, _core.ndarray))
        obj = numpy.asarray(obj)
        if obj.size == 0 and empty:
            obj = obj.astype(numpy.intp)
        if obj.size != 1 or obj.dtype.kind not in "ui":
            return arr[_at(axis, _kept(obj, extent))]
        obj = obj.item()
    at = _place("delete", int(obj), axis, -extent, extent - 1, extent)
    return _without(arr, axis, at, at + 1)


def _positions(obj: Any, extent: int) -> Any:
    """Returns the positions at which `insert` puts values, as a new NumPy array."""
    if isinstance(obj, slice):
        return numpy.array(range(extent)[obj], numpy.intp)
    found = numpy.array(obj)
    if found.dtype == bool:
        if found.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return numpy.flatnonzero(found)
    if found.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if found.size == 0 and not isinstance(obj, (numpy.ndarray, _core.ndarray)):
        return found.astype(numpy.intp)
    return found


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Returns a copy of `arr` with `values` before the positions `obj` along `axis`."""
    own = _fallback.own_array(arr)
    if own is None:
        return NotImplemented
    arr, axis = _along(own, axis)
    extent = arr.shape[axis]
    indices = _positions(obj, extent)
    if indices.size == 1:
        at = _place("insert", indices.item(), axis, -extent, extent, extent)
        values = array(values, arr.dtype, copy=None, ndmin=arr.ndim)
        at = operator.index(at)
        if indices.ndim == 0:  # values[k] goes to position k of the axes before `axis`
            values = values.transpose(*range(1, axis + 1), 0, *range(axis + 1, values.ndim))
        new = values.shape[axis]
        result = _like(arr, axis, extent + new)
        _move_halves(result, arr, axis, (at, at + new), at, at)
        result[_at(axis, slice(at, at + new))] = values
        return result
    indices[indices < 0] += extent
    order = indices.argsort(kind="stable")
    indices[order] += numpy.arange(len(indices))
    old = numpy.ones(extent + len(indices), bool)
    try:
        old[indices] = False
    except IndexError as error:
        raise IndexError(f"{error}") from None
    result = _like(arr, axis, len(old))
    result[_at(axis, indices)] = values
    result[_at(axis, old)] = arr
    return result
