"""Joining arrays, and splitting them into views."""

from __future__ import annotations

import operator
from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from hassium._core import as_view, asarray, concatenate
from hassium.functions.manipulation import atleast_3d, moveaxis, ndim

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]

concat = concatenate


def stack(
    arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    """Joins the arrays along a new axis."""
    parts = [asarray(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    index = (slice(None),) * axis + (None,)
    return concatenate([a[index] for a in parts], axis, out=out, dtype=dtype, casting=casting)


def unstack(x: Any, /, *, axis: int = 0) -> Any:
    """Returns the slices of `x` along `axis`, as a tuple of views."""
    if x.ndim == 0:  # lists have no `ndim`, and raise
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(as_view(x), axis, 0))


def _check_sequence(tup: Any) -> None:
    if not hasattr(tup, "__getitem__"):
        raise TypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple.'
        )


def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Stacks the arrays as rows."""
    _check_sequence(tup)
    arrays = [a if a.ndim > 1 else a.reshape(1, -1) for a in map(asarray, tup)]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Joins the arrays side by side."""
    _check_sequence(tup)
    arrays = [a if a.ndim else a.reshape(1) for a in map(asarray, tup)]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup: Any) -> Any:
    """Stacks the arrays along the third axis."""
    _check_sequence(tup)
    arrays = atleast_3d(*tup)
    return concatenate(arrays if isinstance(arrays, tuple) else (arrays,), 2)


def column_stack(tup: Any) -> Any:
    """Stacks one-dimensional arrays as columns."""
    _check_sequence(tup)
    return concatenate(
        [a.reshape(-1, 1) if a.ndim < 2 else a for a in (asarray(v) for v in tup)], 1
    )


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Joins `values` to the end of `arr`."""
    arr = asarray(arr)
    if axis is None:
        return concatenate((arr.ravel(), asarray(values).ravel()), 0)
    return concatenate((arr, values), axis)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Splits `ary` along `axis` into views, possibly of different extents."""
    ary = as_view(ary)
    total = ary.shape[axis]
    try:
        len(indices_or_sections)
    except TypeError:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        each, extras = divmod(total, sections)
        points = [0]
        for k in range(sections):
            points.append(points[-1] + each + (1 if k < extras else 0))
    else:
        points = [0, *map(operator.index, indices_or_sections), total]
    moved = ary.swapaxes(axis, 0)
    return [
        moved[start:stop].swapaxes(axis, 0)
        for start, stop in zip(points[:-1], points[1:], strict=True)
    ]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Splits `ary` along `axis` into views; into equal parts if a number is given."""
    try:
        len(indices_or_sections)
    except TypeError:
        ary = as_view(ary)
        if ary.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division") from None
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the second axis (the only one of a vector)."""
    if ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ndim(ary) > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the first axis."""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the third axis."""
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)
