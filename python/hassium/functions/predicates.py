"""Predicates that only need dtypes: pending work stays pending."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core

__all__ = ["can_cast", "iscomplexobj", "isrealobj", "result_type"]

_OWN = (_core.ndarray, _core.scalar)


def iscomplexobj(x: Any) -> bool:
    """Returns whether `x` has a complex dtype."""
    if type(x) in _OWN or not hasattr(x, "dtype"):
        return bool(_core.asarray(x).dtype.kind == "c")
    return numpy.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Returns whether `x` has no complex dtype."""
    return not iscomplexobj(x)


def _kind_of(x: Any) -> Any:
    return x.dtype if type(x) in _OWN else x


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Returns the dtype that promotion gives."""
    return _core.result_type(*arrays_and_dtypes)


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Returns whether a casting rule allows a cast."""
    if type(to) in _OWN:  # its dtype attribute would pass for a dtype
        raise TypeError("Cannot construct a dtype from an array")
    return numpy.can_cast(_kind_of(from_), to, casting)
