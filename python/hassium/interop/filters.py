"""Filters of Python's `warnings` act on what was recorded while they were in force.

A warning of a recorded operation is given when the operation runs. So what is pending and may warn
runs where a `warnings.catch_warnings` block begins, under the filters outside, and where it ends,
under those inside; `pytest.warns`, `recwarn` and `unittest`'s `assertWarns` are such blocks.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from hassium import _core

_MARK = "_hassium_flushes"


def prepare() -> None:
    """Makes the two ends of every such block flush; a second call changes nothing."""
    block: Any = warnings.catch_warnings
    if hasattr(block.__enter__, _MARK):
        return
    block.__enter__ = _flushing_before(block.__enter__)
    block.__exit__ = _flushing_before(block.__exit__)


def _flushing_before(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def flushing(*args: Any) -> Any:
        try:
            _core.flush_reports()
        except BaseException:
            # A filter made an error of a warning. The block ends all the same; it does not begin.
            if method.__name__ == "__exit__":
                method(*args)
            raise
        return method(*args)

    setattr(flushing, _MARK, True)
    return flushing
