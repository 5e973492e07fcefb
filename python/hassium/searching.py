"""Functions that find where values belong among sorted ones."""

from __future__ import annotations

from typing import Any

from hassium import _core, _fallback

__all__ = ["digitize", "interp", "searchsorted"]

_BEHIND = {"left": False, "right": True}


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
