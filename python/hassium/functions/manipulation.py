"""Shapes and rearrangement: views where NumPy gives views, recorded copies elsewhere."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from hassium import _core, _fallback
from hassium._core import as_view, asarray, broadcast_to
from hassium.functions import creation

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]

_REVERSED = slice(None, None, -1)
_ROW = (None, slice(None))


def shape(a: Any) -> tuple[int, ...]:
    """The extents of `a`."""
    return a.shape if hasattr(a, "shape") else tuple(asarray(a).shape)


def ndim(a: Any) -> int:
    """The number of axes of `a`."""
    return a.ndim if hasattr(a, "ndim") else int(asarray(a).ndim)


def size(a: Any, axis: Any = None) -> int:
    """Returns the number of elements, of all or along `axis`."""
    if axis is None:
        return a.size if hasattr(a, "size") else int(asarray(a).size)
    extents = shape(a)
    axes = normalize_axis_tuple(axis, len(extents))
    count = 1
    for k in axes:
        count *= extents[k]
    return count


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Any:
    """Returns `a` with another shape; a view where possible."""
    if shape is None:
        return NotImplemented  # a missing argument in some versions of NumPy
    if copy is None:
        return as_view(a).reshape(shape, order=order)
    return as_view(a).reshape(shape, order=order, copy=copy)


def ravel(a: Any, order: str = "C") -> Any:
    """`a` flattened; a view where possible."""
    return as_view(a).ravel(order)


def transpose(a: Any, axes: Any = None) -> Any:
    """`a` with its axes permuted: a view."""
    return (a if isinstance(a, numpy.generic) else as_view(a)).transpose(axes)


permute_dims = transpose


def matrix_transpose(x: Any, /) -> Any:
    """`x` with its last two axes exchanged."""
    x = as_view(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`a` with two axes exchanged: a view."""
    return as_view(a).swapaxes(axis1, axis2)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """`a` with axes moved to new places: a view."""
    a = as_view(a)
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [n for n in range(a.ndim) if n not in source]
    for dest, src in sorted(zip(destination, source, strict=True)):
        order.insert(dest, src)
    return a.transpose(order)


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """`a` with `axis` moved before `start`: a view."""
    a = as_view(a)
    n = a.ndim
    axis = normalize_axis_index(axis, n)
    if start < 0:
        start += n
    if not 0 <= start < n + 1:
        raise numpy.exceptions.AxisError(
            f"start arg requires {-n} <= start < {n + 1}, but {start} was passed in"
        )
    if axis < start:
        start -= 1
    order = list(range(n))
    order.remove(axis)
    order.insert(start, axis)
    return a.transpose(order)


def squeeze(a: Any, axis: Any = None) -> Any:
    """`a` without axes of extent 1: a view."""
    return (a if isinstance(a, numpy.generic) else as_view(a)).squeeze(axis)


def expand_dims(a: Any, axis: Any) -> Any:
    """`a` with new axes of extent 1: a view."""
    a = as_view(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    out_ndim = len(axes) + a.ndim
    axes = normalize_axis_tuple(axes, out_ndim)
    extents = iter(a.shape)
    return a.reshape([1 if k in axes else next(extents) for k in range(out_ndim)])


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A diagonal of `a`: a view."""
    return as_view(a).diagonal(offset, axis1, axis2)


def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    """The arguments broadcast against each other: a tuple of views."""
    arrays = [as_view(x) for x in args]
    shapes = [x.shape for x in arrays]
    if len(set(shapes)) < 2:
        return tuple(arrays)
    common = numpy.broadcast_shapes(*shapes)
    return tuple(creation.broadcast_array(x, common) for x in arrays)


def _at_least(arrays: tuple[Any, ...], grow: Any) -> Any:
    if len(arrays) == 1:
        return grow(as_view(arrays[0]))
    return tuple(grow(as_view(a)) for a in arrays)


def _with_one(a: Any) -> Any:
    return a if a.ndim else a.reshape(1)


def _with_two(a: Any) -> Any:
    if a.ndim == 1:
        return a[_ROW]
    return a if a.ndim else a.reshape(1, 1)


def _with_three(a: Any) -> Any:
    if a.ndim == 1:
        return a[None, :, None]
    if a.ndim == 2:
        return a[:, :, None]
    return a if a.ndim else a.reshape(1, 1, 1)


def atleast_1d(*arys: Any) -> Any:
    """Each argument with at least one axis."""
    return _at_least(arys, _with_one)


def atleast_2d(*arys: Any) -> Any:
    """Each argument with at least two axes."""
    return _at_least(arys, _with_two)


def atleast_3d(*arys: Any) -> Any:
    """Each argument with at least three axes."""
    return _at_least(arys, _with_three)


def flip(m: Any, axis: Any = None) -> Any:
    """`m` with axes reversed: a view."""
    m = as_view(m)
    if axis is None:
        return m[(_REVERSED,) * m.ndim]
    axes = normalize_axis_tuple(axis, m.ndim)
    return m[tuple(_REVERSED if k in axes else slice(None) for k in range(m.ndim))]


def flipud(m: Any) -> Any:
    """`m` upside down: a view."""
    if ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return as_view(m)[::-1, ...]


def fliplr(m: Any) -> Any:
    """`m` mirrored left to right: a view."""
    if ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return as_view(m)[:, ::-1]


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotates `m` by 90 degrees `k` times: a view. NumPy warns of a `k` that is no integer."""
    if not hasattr(k, "__index__"):
        return NotImplemented
    m = as_view(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = axes
    if first == second or abs(first - second) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, first), second)
    order = list(range(m.ndim))
    order[first], order[second] = order[second], order[first]
    if k == 1:
        return transpose(flip(m, second), order)
    return flip(transpose(m, order), second)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Shifts elements along `axis`, wrapping around."""
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    if type(shift) is int and type(axis) is int:
        return _roll_axis(a, shift, normalize_axis_index(axis, a.ndim))
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(shift, axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = [0] * a.ndim
    for by, ax in pairs:
        shifts[int(ax)] += int(by)
    result = creation.empty_like(a)
    for target, source in _rolled_boxes(a.shape, tuple(shifts)):
        result[target] = a[source]
    return result


@functools.lru_cache(64)
def _rolled_boxes(shape: tuple[int, ...], shifts: tuple[int, ...]) -> list[tuple[Any, Any]]:
    """Returns target and source slices of the boxes into which rolling cuts an array."""
    cuts = []
    for n, shift in zip(shape, shifts, strict=True):
        by = shift % n if n else 0
        whole = [(slice(None), slice(None))]
        halves = [(slice(by, None), slice(None, -by)), (slice(None, by), slice(-by, None))]
        cuts.append(halves if by else whole)
    boxes = itertools.product(*cuts)
    return [(tuple(to for to, _ in box), tuple(source for _, source in box)) for box in boxes]


def _roll_axis(a: Any, shift: int, axis: int) -> Any:
    n = a.shape[axis]
    by = shift % n if n else 0
    if by == 0:
        return a.copy("K")
    result = creation.empty_like(a)
    front, behind, back, before = _halves(by, axis)
    result[behind] = a[front]
    result[before] = a[back]
    return result


@functools.lru_cache(256)
def _halves(by: int, axis: int) -> tuple[tuple[slice, ...], ...]:
    """Returns source and target slices of the two parts when rolling by `by`."""
    whole = (slice(None),) * axis
    bounds = ((None, -by), (by, None), (-by, None), (None, by))
    return tuple((*whole, slice(*bound)) for bound in bounds)


def single_axis(axis: Any, ndim: int, name: str) -> int:
    """Returns `axis` counted from the front; rejects a bool, as NumPy's C functions do."""
    if isinstance(axis, (bool, numpy.bool)):
        raise TypeError("an integer is required for the axis")
    return normalize_axis_index(axis, ndim)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats elements; one count for all is a broadcast copy, several go through NumPy."""
    repeated = _core.repeat_evenly(a, repeats, axis)
    if repeated is not None:
        return repeated
    if not isinstance(repeats, (int, numpy.integer)):
        return _fallback.call("repeat", numpy.repeat, (a, repeats), {"axis": axis})
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    else:
        a = a.ravel() if a.ndim == 0 else a
        axis = single_axis(axis, a.ndim, "repeat")
    if repeats < 0 and a.shape[axis] == 0:  # no element to repeat
        repeats = 0
    if repeats < 0:
        numpy.repeat(numpy.ones(1), repeats)  # raises NumPy's error
    before, after = a.shape[: axis + 1], a.shape[axis + 1 :]
    wide = broadcast_to(a.reshape((*before, 1, *after)), (*before, int(repeats), *after))
    return wide.reshape((*before[:-1], before[-1] * int(repeats), *after), copy=True)


def tile(A: Any, reps: Any) -> Any:
    """Repeats `A` as tiles."""
    a = asarray(A)
    try:
        counts = tuple(reps)
    except TypeError:  # a number, whose type may have an __iter__
        counts = (reps,)
    rank = max(a.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + tuple(1 if c == 1 else operator.index(c) for c in counts)
    extents = (1,) * (rank - a.ndim) + tuple(a.shape)
    if counts == (1,) * rank:  # a copy, in the order of `a`
        copy = a.copy("K")
        return copy if rank == a.ndim else copy.reshape(extents)
    thin: list[int] = []
    wide: list[int] = []
    for count, extent in zip(counts, extents, strict=True):
        thin += [1, extent]
        wide += [count, extent]
    if a.size == 0:  # nothing is repeated; negative counts are accepted
        return a.reshape([c * e for c, e in zip(counts, extents, strict=True)], copy=True)
    tiles = broadcast_to(a.reshape(thin), tuple(wide))
    return tiles.reshape([c * e for c, e in zip(counts, extents, strict=True)], copy=True)
