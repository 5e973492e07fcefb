"""Functions that index: take, put, nonzero and their relatives."""

from __future__ import annotations

import operator
from typing import Any, Literal

import numpy
from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import creation, joining, manipulation

__all__ = [
    "argwhere",
    "compress",
    "diag_indices",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "nonzero",
    "put",
    "put_along_axis",
    "take",
    "take_along_axis",
]


BOOL = numpy.dtype(bool)  # arrays share this one object


_MODES = ("clip", "wrap")  # in NumPy's numbering; any other number raises


def _mode_of(mode: Any, name: str) -> str:
    """Returns a mode by its name or number."""
    if isinstance(mode, str):
        return mode
    if mode is None:
        return "raise"
    if isinstance(mode, bool) or not hasattr(mode, "__index__"):
        raise TypeError("clipmode not understood")
    number = operator.index(mode)
    return _MODES[number] if number in (0, 1) else "raise"


def _is_inexact(mode: Any) -> bool:
    """Returns whether `mode` is a word that NumPy may take for one of its own, or refuse."""
    return isinstance(mode, str) and mode not in ("raise", *_MODES)


def _resolve(
    indices: Any, extent: int, mode: str, name: str, casting: Literal["safe", "same_kind"]
) -> Any:
    """Returns indices as integers; numbers and lists are converted, arrays must be castable."""
    if _core.is_any_array(indices):
        # Signed integers always are: asking NumPy costs more than taking a few elements.
        dtype = indices.dtype
        if dtype.kind != "i" and not numpy.can_cast(dtype, numpy.intp, casting):
            raise TypeError(
                f"Cannot cast {'array data' if indices.ndim else 'scalar'} from "
                f"{dtype!r} to dtype('int64') according to the rule {casting!r}"
            )
        index = asarray(indices)
    else:
        index = asarray(indices, dtype=numpy.intp)
    if mode == "raise":
        return index.astype(numpy.intp) if index.dtype.kind == "b" else index
    index = index.astype(numpy.intp)  # in a narrow dtype the extent may overflow
    if mode == "wrap":
        return index % max(extent, 1)
    return _core.ufuncs["clip"](index, 0, max(extent - 1, 0))


def _listed(indices: list[Any]) -> Any:
    """Returns a list as an integer array, or the list, to be rejected after the axis check."""
    try:
        return asarray(indices, dtype=numpy.intp)
    except (TypeError, ValueError, OverflowError):
        return indices


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    """Returns elements of `a` along `axis` (of the flattened array by default).

    Raises IndexError for an index out of bounds unless `mode` wraps or clips.
    """
    if out is None and mode == "raise":
        few = _listed(indices) if type(indices) is list else indices
        taken = _core.take_positions(a, few, axis)
        if taken is not None:
            return taken
    a = asarray(a)
    if type(a) is numpy.ndarray:  # text, dates, objects: an index would give another layout
        return _core.call_numpy(numpy.take, (a, indices, axis, out, mode), {}, None)
    if out is not None and getattr(out, "dtype", None) != a.dtype:
        return NotImplemented  # NumPy refuses it, or warns, or casts by way of a copy
    if axis is None:
        a, axis = a.ravel(), 0
    else:
        a = a.ravel() if a.ndim == 0 else a
        axis = manipulation.single_axis(axis, a.ndim, "take")
    if _is_inexact(mode):
        return NotImplemented
    mode = _mode_of(mode, "take")
    index = _resolve(indices, a.shape[axis], mode, "take", "same_kind")
    try:
        key = (slice(None),) * axis + (index,) if axis else index
        result = _core.take_at(a, key) if index.ndim and type(a) is _core.ndarray else a[key]
    except IndexError:
        result = _taken_of_nothing(a, index, axis, mode)
        if result is None:
            if a.shape[axis] or 0 in a.shape[axis + 1 :]:
                raise
            raise IndexError("cannot do a non-empty take from an empty axes.") from None
    if index.ndim == 0 and result.ndim:  # one index selects a view, or a copy in another order
        result = result.copy()
    if out is None:
        return result
    if not _core.is_any_array(out):
        raise TypeError("output must be an array")
    if tuple(out.shape) != tuple(result.shape):
        raise ValueError("output array does not match result of ndarray.take")
    out[...] = result
    return out


def _taken_of_nothing(a: Any, index: Any, axis: int, mode: str) -> Any:
    """Returns the empty result where NumPy reads no index: nothing to take from, or to clip to."""
    before, after = a.shape[:axis], a.shape[axis + 1 :]
    if 0 in before or (mode != "raise" and 0 in after):
        return creation.empty((*before, *index.shape, *after), a.dtype)
    return None


def as_numbers(values: Any, dtype: Any) -> Any:
    """Returns `values` in `dtype`: arrays are cast, numbers converted, with NumPy's errors."""
    if (
        type(values) is _core.scalar
        and dtype.kind == "i"
        and not numpy.can_cast(values.dtype, dtype)
    ):
        values = values.to_numpy()[()]  # it may not fit, so its value is needed
    return asarray(values, dtype)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    """Writes `v` (repeated as needed) at flat indices of `a`."""
    vectors = type(a) is type(ind) is _core.ndarray and a.ndim == 1 and ind.dtype.kind == "i"
    if vectors and mode == "raise" and (type(v) in (int, float) or _is_alike(v, ind, a.dtype)):
        try:
            a[ind] = v
        except IndexError:
            _put_as_far(a, ind, v)
            raise
        return None
    if isinstance(a, numpy.ndarray):
        _core.call_numpy(numpy.put, (a, ind, v, mode), {}, None)
        return None
    if _is_inexact(mode):
        return NotImplemented
    if type(a) is not _core.ndarray:
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(a)}")
    index = _resolve(ind, a.size, _mode_of(mode, "put"), "put", "safe").ravel()
    if a.size == 0 and index.size > 0:
        raise IndexError("cannot replace elements of an empty array")
    values = as_numbers(v, a.dtype).ravel()
    if index.size == 0 or values.size == 0:
        return None
    if values.size != 1:
        values = manipulation.tile(values, -(-index.size // values.size))[: index.size]
    flat = a.ravel()
    try:
        flat[index] = values
    except IndexError:
        _put_as_far(a, index, values)
        raise
    if not a.flags.c_contiguous:
        a[...] = flat.reshape(a.shape)
    return None


def _is_alike(v: Any, ind: Any, dtype: Any) -> bool:
    """Returns whether `v` has one value of the dtype for each index."""
    return type(v) is _core.ndarray and v.dtype == dtype and v.shape == ind.shape


def _put_as_far(a: Any, index: Any, values: Any) -> None:
    """Writes one value after another until an index is out of bounds, as NumPy does.

    For an array that is not contiguous NumPy writes to a copy that it drops.
    """
    if not a.flags.c_contiguous:
        return
    index = index.ravel()
    count = int(((index < -a.size) | (index >= a.size)).argmax())
    put(a, index[:count], values)


def nonzero(a: Any) -> tuple[Any, ...]:
    """Returns the indices of the elements that are not zero; their number depends on data, so `a`
    is read."""
    a = asarray(a)
    if type(a) is _core.ndarray:
        found: tuple[Any, ...] = a.nonzero()
        return found
    return tuple(_core.from_numpy(index) for index in a.__array__().nonzero())


def diag_indices(n: Any, ndim: Any = 2) -> tuple[Any, ...]:
    """Returns the indices of the main diagonal of an array of `n` elements along `ndim` axes."""
    found: tuple[Any, ...] = (creation.arange(n),) * ndim
    return found


def flatnonzero(a: Any) -> Any:
    """Returns flat indices of the elements that are not zero."""
    return nonzero(asarray(a).ravel())[0]


def argwhere(a: Any) -> Any:
    """Returns indices of the elements that are not zero, one row each."""
    a = asarray(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    return joining.stack(nonzero(a)).T


def extract(condition: Any, arr: Any) -> Any:
    """Returns elements of the flattened `arr` where the flattened `condition` holds."""
    return asarray(arr).ravel()[nonzero(asarray(condition).ravel())[0]]


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Returns slices of `a` along `axis` where `condition` holds."""
    condition = asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, nonzero(condition)[0], axis, out)


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """Returns elements matched by index and position along `axis`."""
    for given in (arr, indices):
        if not hasattr(given, "ndim"):
            raise AttributeError(f"{type(given).__name__!r} object has no attribute 'ndim'")
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    return arr[_along(arr, indices, axis)]


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    """Writes values matched by index and position along `axis`."""
    indices = asarray(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        values = asarray(values)
        if values.shape not in ((), indices.shape):
            return NotImplemented  # some versions of NumPy repeat or cut values
        flat = arr.reshape(-1)
        try:
            flat[_along(flat, indices, 0)] = values
        except IndexError:
            return NotImplemented  # or write up to the position that is out of bounds
        if not arr.flags.c_contiguous:
            arr[...] = flat.reshape(arr.shape)
    else:
        arr[_along(arr, indices, axis)] = values
    return None


def _along(arr: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    axis = normalize_axis_index(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    index: list[Any] = []
    for k in range(arr.ndim):
        if k == axis:
            index.append(indices)
        else:
            extents = [1] * arr.ndim
            extents[k] = arr.shape[k]
            index.append(_core.arange(arr.shape[k]).reshape(extents))
    return tuple(index)


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Writes `val` on the main diagonal of `a`."""
    number = type(val) in (float, int)
    one = type(a) is _core.ndarray and a.ndim == 2 and not wrap
    if not one or not (number or numpy.ndim(val) == 0):
        _fallback.call("fill_diagonal", numpy.fill_diagonal, (a, val, wrap), {})
        return
    if not number and isinstance(val, (_core.scalar, numpy.generic)):
        val = asarray(val)  # cast as in an array, with overflow
    creation._diagonal_of(a, 0)[...] = val
