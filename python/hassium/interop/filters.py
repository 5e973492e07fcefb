"""Filters of Python's `warnings` act on what was recorded while they were in force.

A warning of a recorded operation is given when the operation runs. So what is pending and may warn
runs before filters for RuntimeWarning are set, where a `warnings.catch_warnings` block begins that
records, and where a block ends that records or has set such filters; `pytest.warns`, `recwarn` and
`unittest`'s `assertWarns` are such blocks.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from hassium import _core

_MARK = "_hassium_flushes"


def prepare() -> None:
    """Makes blocks and changes of filters flush; a second call changes nothing."""
    block: Any = warnings.catch_warnings
    if hasattr(block.__enter__, _MARK):
        return
    block.__enter__ = _flushing_at_start(block.__enter__)
    block.__exit__ = _flushing_at_end(block.__exit__)
    for name, position in (("simplefilter", 1), ("filterwarnings", 2), ("resetwarnings", 99)):
        setattr(warnings, name, _flushing_before(getattr(warnings, name), position))


# How often filters that speak of floating-point conditions have been set.
_changes = 0


def _flushing_before(change: Callable[..., Any], position: int) -> Any:
    """A function that sets filters; its argument at `position` is the category."""

    @functools.wraps(change)
    def flushing(*args: Any, **kwargs: Any) -> Any:
        global _changes
        category = args[position] if len(args) > position else kwargs.get("category", Warning)
        if isinstance(category, type) and issubclass(RuntimeWarning, category):
            _core.flush_reports()
            _changes += 1
        return change(*args, **kwargs)

    return flushing


def _flushing_at_start(enter: Callable[[Any], Any]) -> Any:
    @functools.wraps(enter)
    def flushing(block: Any) -> Any:
        if block._record:
            _core.flush_reports()
        block._hassium_changes = _changes
        return enter(block)

    setattr(flushing, _MARK, True)
    return flushing


def _flushing_at_end(leave: Callable[..., Any]) -> Any:
    @functools.wraps(leave)
    def flushing(block: Any, *error: Any) -> Any:
        try:
            if block._record or _changes != block._hassium_changes:
                _core.flush_reports()
        except BaseException:
            # A filter made an error of a warning. The block ends all the same.
            leave(block, *error)
            raise
        return leave(block, *error)

    setattr(flushing, _MARK, True)
    return flushing
