"""Padding: copies into a larger array, recorded piece by piece."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import creation

__all__ = ["pad"]

# Keywords of the modes that are copies of elements or constants.
KEYWORDS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}
MOST_PIECES = 81
FITS_ALL = 1  # the greatest integer of every dtype


class Piece(NamedTuple):
    """Positions of the result along one axis, and those of the array that go there."""

    to: slice
    source: slice | None  # none: `value`, or nothing
    value: Any = None


class Steps(NamedTuple):
    """The result's shape; keys and values that are filled in, and keys of what is copied."""

    shape: tuple[int, ...]
    fills: list[tuple[Any, Any]]
    copies: list[tuple[Any, Any]]


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """`array` with ``pad_width`` elements more at both ends of each axis: an array of its dtype.

    ``pad_width``: (before, after) for each axis, one pair for all, or one integer. Modes that
    compute what they put there (`mean`, `linear_ramp`, ..), functions, odd reflections and whatever
    NumPy refuses go through NumPy.
    """
    a = asarray(array)
    steps = None
    if type(a) is _core.ndarray:
        plain = type(mode) is str and whole(pad_width) and all(map(is_key, kwargs.values()))
        steps = (plain_steps if plain else steps_of)(a.shape, pad_width, mode, **kwargs)
    if steps is None:
        return _fallback.call("pad", numpy.pad, (array, pad_width, mode), kwargs)
    result = creation.empty(steps.shape, a.dtype, "F" if a.flags.fnc else "C")
    for to, value in steps.fills:
        result[to] = value
    for to, source in steps.copies:
        result[to] = a[source]
    return result


def whole(pad_width: Any) -> bool:
    """Whether it is an integer or a tuple of pairs, where equal values mean the same."""
    if type(pad_width) is int:
        return True
    return type(pad_width) is tuple and all(
        type(pair) is tuple and all(type(n) is int for n in pair) for pair in pad_width
    )


def is_key(value: Any) -> bool:
    """Whether an object equal to the value means the same: no zero does, nor nan."""
    return type(value) in (int, str) or (type(value) is float and value == value and value != 0)


def steps_of(shape: tuple[int, ...], pad_width: Any, mode: Any, **kwargs: Any) -> Steps | None:
    """What is to be done for an array of that shape; None where NumPy is to be asked."""
    pieces = pieces_of(shape, pad_width, mode, kwargs)
    if pieces is None:
        return None
    taken = [[piece for piece in along if piece.source is not None] for along in pieces]
    copies = [
        (tuple(piece.to for piece in cell), tuple(piece.source for piece in cell))
        for cell in itertools.product(*taken)
    ]
    fills = list(ends(pieces)) if mode == "constant" else []
    return Steps(tuple(along[-1].to.stop for along in pieces), fills, copies)


# A step of a loop pads the same shape each time: to find the pieces takes longer than to copy them.
plain_steps = functools.lru_cache(64)(steps_of)


def ends(pieces: list[list[Piece]]) -> Iterable[tuple[Any, Any]]:
    """Values at both ends of each axis. Of axes that meet in a corner the last one decides."""
    inside = [piece.to for along in pieces for piece in along if piece.source is not None]
    for axis, along in enumerate(pieces):
        for piece in along:
            if piece.source is None:
                yield (*[slice(None)] * axis, piece.to, *inside[axis + 1 :]), piece.value


def pieces_of(
    shape: tuple[int, ...], pad_width: Any, mode: Any, kwargs: dict[str, Any]
) -> list[list[Piece]] | None:
    """The pieces of the result along each axis; None where NumPy is to be asked."""
    if 0 in shape or not shape:
        return None
    if not isinstance(mode, str) or not kwargs.keys() <= KEYWORDS.get(mode, set()):
        return None
    if mode not in KEYWORDS or kwargs.get("reflect_type", "even") != "even":
        return None
    widths = widths_of(pad_width, len(shape))
    values = values_of(kwargs.get("constant_values", 0), len(shape))
    if widths is None or values is None:
        return None
    pieces = []
    for n, (before, after), value in zip(shape, widths, values, strict=True):
        along = along_axis(n, before, after, mode, value)
        if along is None:
            return None
        pieces.append(along)
    count = 2 * len(shape) if mode == "constant" else math.prod(map(len, pieces))
    return pieces if count <= MOST_PIECES else None


def widths_of(pad_width: Any, ndim: int) -> list[Any] | None:
    """How many elements come before and after each axis; None where NumPy is to be asked."""
    if type(pad_width) is int and pad_width >= 0:  # asking NumPy takes longer than padding
        return [(pad_width, pad_width)] * ndim
    widths = pairs(pad_width, ndim)
    if widths is None or widths.dtype.kind not in "iu" or (widths < 0).any():
        return None
    rows: list[Any] = widths.tolist()
    return rows


def values_of(value: Any, ndim: int) -> Any:
    """What comes before and after each axis, which NumPy casts and does not refuse."""
    if type(value) is int and 0 <= value <= FITS_ALL:
        return [(value, value)] * ndim
    values = pairs(value, ndim)
    return None if values is None or values.dtype.kind not in "biufc" else values


def pairs(value: Any, ndim: int) -> Any:
    """(before, after) of each axis; None where that is not what `value` says."""
    if isinstance(value, dict):
        return None
    try:
        return numpy.broadcast_to(numpy.asarray(value), (ndim, 2))
    except ValueError:
        return None


def along_axis(n: int, before: int, after: int, mode: str, value: Any) -> list[Piece] | None:
    """The pieces along an axis of `n` elements; None where NumPy is to be asked."""
    end = before + n
    if mode == "wrap":
        return list(wrapped(n, before, end + after))
    inside = Piece(slice(before, end), slice(None))
    head, tail = slice(0, before), slice(end, end + after)
    if mode in ("constant", "empty"):
        ends = [Piece(head, None, value[0]), inside, Piece(tail, None, value[1])]
    elif mode == "edge":
        ends = [Piece(head, slice(0, 1)), inside, Piece(tail, slice(n - 1, n))]
    else:
        skip = mode == "reflect"  # the element at the end is not repeated
        if max(before, after) > n - skip:
            return None
        ends = [
            Piece(head, backwards(skip, skip + before)),
            inside,
            Piece(tail, backwards(n - skip - after, n - skip)),
        ]
    return [piece for piece in ends if piece.to.start < piece.to.stop]


def wrapped(n: int, before: int, length: int) -> Iterable[Piece]:
    """Whole turns of the array, and parts of one at both ends."""
    start = 0
    while start < length:
        first = (start - before) % n
        stop = min(start + n - first, length)
        yield Piece(slice(start, stop), slice(first, first + stop - start))
        start = stop


def backwards(start: int, stop: int) -> slice:
    """The positions from `start` to before `stop`, the last one first."""
    return slice(stop - 1, start - 1 if start > 0 else None, -1)
