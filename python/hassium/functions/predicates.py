"""What is known of arrays without their elements: pending work stays pending."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core
from hassium._core import can_cast, may_share_memory, result_type, shares_memory

__all__ = [
    "can_cast",
    "iscomplexobj",
    "isrealobj",
    "may_share_memory",
    "result_type",
    "shares_memory",
]

_OWN = (_core.ndarray, _core.scalar)


def iscomplexobj(x: Any) -> bool:
    """Returns whether `x` has a complex dtype."""
    if type(x) in _OWN or not hasattr(x, "dtype"):
        return bool(_core.asarray(x).dtype.kind == "c")
    return numpy.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Returns whether `x` has no complex dtype."""
    return not iscomplexobj(x)
