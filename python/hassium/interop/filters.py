"""Filters of Python's `warnings` apply to operations recorded while they were in force.

A warning of a recorded operation is issued when the operation runs. So pending work that may warn
runs before a filter for RuntimeWarning is set, at the start of a `warnings.catch_warnings` block
that records warnings, and at the end of a block that records warnings or has set such filters;
`pytest.warns`, `recwarn` and `unittest`'s `assertWarns` are such blocks.
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
    warnings.simplefilter = _simplefilter(warnings.simplefilter)
    warnings.filterwarnings = _filterwarnings(warnings.filterwarnings)
    warnings.resetwarnings = _resetwarnings(warnings.resetwarnings)


# Number of changes to filters that apply to floating-point warnings.
_changes = 0
_CATEGORIES = RuntimeWarning.__mro__  # categories of such filters


def _flush_before(category: Any) -> None:
    """Flushes before a filter for the category is set."""
    global _changes
    if category in _CATEGORIES:
        _core.flush_reports()
        _changes += 1


# Blocks are entered in loops, so each function has the parameters of the one it wraps.


def _simplefilter(change: Callable[..., None]) -> Any:
    @functools.wraps(change)
    def flushing(
        action: Any, category: Any = Warning, lineno: Any = 0, append: Any = False
    ) -> None:
        _flush_before(category)
        change(action, category, lineno, append)

    return flushing


def _filterwarnings(change: Callable[..., None]) -> Any:
    @functools.wraps(change)
    def flushing(
        action: Any,
        message: Any = "",
        category: Any = Warning,
        module: Any = "",
        lineno: Any = 0,
        append: Any = False,
    ) -> None:
        _flush_before(category)
        change(action, message, category, module, lineno, append)

    return flushing


def _resetwarnings(change: Callable[[], None]) -> Any:
    @functools.wraps(change)
    def flushing() -> None:
        _flush_before(Warning)
        change()

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
    def flushing(block: Any, kind: Any = None, error: Any = None, trace: Any = None) -> Any:
        try:
            if block._record or _changes != block._hassium_changes:
                _core.flush_reports()
        except BaseException:
            # A filter turned a warning into an error. The block still exits.
            leave(block, kind, error, trace)
            raise
        return leave(block, kind, error, trace)

    setattr(flushing, _MARK, True)
    return flushing
