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
    """Positions of the result along one axis, and the array's elements that go there."""

    to: slice
    source: slice | None  # None: filled with `value`, or not at all
    value: Any = None


class Steps(NamedTuple):
    """The result's shape, keys and values to fill in, and keys of the copies."""

    shape: tuple[int, ...]
    fills: list[tuple[Any, Any]]
    copies: list[tuple[Any, Any]]


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Returns `array` with ``pad_width`` more elements at both ends of each axis, in its dtype.

    ``pad_width``: (before, after) for each axis, one pair for all, or one integer. Modes that
    compute the padding (`mean`, `linear_ramp`, ..), functions, odd reflections and invalid
    arguments go through NumPy.
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
    """Returns whether it is an integer or a tuple of pairs, so that equal widths mean the same."""
    if type(pad_width) is int:
        return True
    return type(pad_width) is tuple and all(
        type(pair) is tuple and all(type(n) is int for n in pair) for pair in pad_width
    )


def is_key(value: Any) -> bool:
    """Returns whether an equal object means the same: not for zeros, nor for NaN."""
    return type(value) in (int, str) or (type(value) is float and value == value and value != 0)


def steps_of(shape: tuple[int, ...], pad_width: Any, mode: Any, **kwargs: Any) -> Steps | None:
    """Returns the steps for an array of that shape, or None to fall back to NumPy."""
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


# A loop pads the same shape at each step: finding the pieces takes longer than copying them.
plain_steps = functools.lru_cache(64)(steps_of)


def ends(pieces: list[list[Piece]]) -> Iterable[tuple[Any, Any]]:
    """Yields the values at both ends of each axis. In a corner the last of the axes decides."""
    inside = [piece.to for along in pieces for piece in along if piece.source is not None]
    for axis, along in enumerate(pieces):
        for piece in along:
            if piece.source is None:
                yield (*[slice(None)] * axis, piece.to, *inside[axis + 1 :]), piece.value


def pieces_of(
    shape: tuple[int, ...], pad_width: Any, mode: Any, kwargs: dict[str, Any]
) -> list[list[Piece]] | None:
    """Returns the pieces of the result along each axis, or None to fall back to NumPy."""
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
    """Returns the widths before and after each axis, or None to fall back to NumPy."""
    if type(pad_width) is int and pad_width >= 0:  # calling NumPy takes longer than padding
        return [(pad_width, pad_width)] * ndim
    widths = pairs(pad_width, ndim)
    if widths is None or widths.dtype.kind not in "iu" or (widths < 0).any():
        return None
    rows: list[Any] = widths.tolist()
    return rows


def values_of(value: Any, ndim: int) -> Any:
    """Returns the values before and after each axis, which NumPy casts without an error."""
    if type(value) is int and 0 <= value <= FITS_ALL:
        return [(value, value)] * ndim
    values = pairs(value, ndim)
    return None if values is None or values.dtype.kind not in "biufc" else values


def pairs(value: Any, ndim: int) -> Any:
    """Returns (before, after) of each axis, or None if `value` does not have that form."""
    if isinstance(value, dict):
        return None
    try:
        return numpy.broadcast_to(numpy.asarray(value), (ndim, 2))
    except ValueError:
        return None


def along_axis(n: int, before: int, after: int, mode: str, value: Any) -> list[Piece] | None:
    """Returns the pieces along an axis of `n` elements, or None to fall back to NumPy."""
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
    """Yields whole repetitions of the array, and parts of one at both ends."""
    start = 0
    while start < length:
        first = (start - before) % n
        stop = min(start + n - first, length)
        yield Piece(slice(start, stop), slice(first, first + stop - start))
        start = stop


def backwards(start: int, stop: int) -> slice:
    """Returns the positions from `start` to before `stop`, in reverse order."""
    return slice(stop - 1, start - 1 if start > 0 else None, -1)
