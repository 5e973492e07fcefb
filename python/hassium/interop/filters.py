"""Filters of Python's `warnings` apply to operations recorded while they were in force.

A warning of a recorded operation is issued when the operation runs. So pending work that may warn
runs before a filter for RuntimeWarning is set, at the start of a `warnings.catch_warnings` block
that records warnings, when its list is read, and at the end of a block that records warnings or has
set such filters; `pytest.warns`, `recwarn` and `unittest`'s `assertWarns` are such blocks. While a
filter turns RuntimeWarning into an exception, or in a block of `numpy.testing.suppress_warnings`,
operations that can warn run at the call.
"""

from __future__ import annotations

import functools
import sys
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
    _filters_changed()


def prepare_suppressions(numpys: Any) -> None:
    """Makes blocks of numpy.testing.suppress_warnings flush at both ends.

    Such a block replaces the handler of warnings, by one that filters and records them. Operations
    that can warn run at the call inside.
    """
    block = getattr(numpys, "suppress_warnings", None)
    if block is not None and not hasattr(block.__enter__, _MARK):
        block.__enter__ = _flushing_before(block.__enter__)
        block.__exit__ = _flushing_before(block.__exit__)
        _handlers.add(block._showwarning)


# Handlers of warnings inside which operations that can warn run at the call.
_handlers: set[Any] = set()
# Number of changes to filters that apply to floating-point warnings.
_changes = 0


def _filters_changed() -> None:
    """Tells the engine whether a RuntimeWarning acts at the call."""
    _core.set_warnings_at_call(_warnings_at_call())


def _warnings_at_call() -> bool:
    """Whether some text or place makes a RuntimeWarning an exception, or its handler acts."""
    module: Any = warnings
    if getattr(module.showwarning, "__func__", None) in _handlers:
        return True
    # Python 3.14 can have filters of a context.
    filters = module._get_filters() if hasattr(module, "_get_filters") else warnings.filters
    for action, message, category, place, line in filters:
        if issubclass(RuntimeWarning, category):
            if action == "error":
                return True
            if message is None and place is None and line == 0:
                return False  # later filters do not apply
    return bool(module.defaultaction == "error")


def _change(change: Callable[..., None], *arguments: Any) -> None:
    """Changes filters that apply to floating-point warnings after a flush."""
    global _changes
    _core.flush_reports()
    _changes += 1
    change(*arguments)
    _filters_changed()


# Blocks are entered in loops, so each function has the parameters of the one it wraps, and leaves
# filters of other categories to it at once.


def _simplefilter(change: Callable[..., None]) -> Any:
    @functools.wraps(change)
    def flushing(
        action: Any, category: Any = Warning, lineno: Any = 0, append: Any = False
    ) -> None:
        if category is not Warning and category is not RuntimeWarning:
            return change(action, category, lineno, append)
        _change(change, action, category, lineno, append)

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
        if category is not Warning and category is not RuntimeWarning:
            return change(action, message, category, module, lineno, append)
        _change(change, action, message, category, module, lineno, append)

    return flushing


def _resetwarnings(change: Callable[[], None]) -> Any:
    @functools.wraps(change)
    def flushing() -> None:
        _change(change)

    return flushing


def _flushing_at_start(enter: Callable[[Any], Any]) -> Any:
    @functools.wraps(enter)
    def flushing(block: Any) -> Any:
        block._hassium_changes = _changes
        if not block._record:
            return enter(block)
        _core.flush_reports()
        log = enter(block)
        return _flushing_log(block._module, log) if block._module is warnings else log

    setattr(flushing, _MARK, True)
    return flushing


def _flushing_at_end(leave: Callable[..., Any]) -> Any:
    @functools.wraps(leave)
    def flushing(block: Any, kind: Any = None, error: Any = None, trace: Any = None) -> Any:
        changed = _changes != block._hassium_changes
        if not changed and not block._record:
            return leave(block, kind, error, trace)
        try:
            _core.flush_reports()
        finally:
            left = leave(block, kind, error, trace)  # the block exits whatever a flush raises
            if changed:
                _filters_changed()
        return left

    setattr(flushing, _MARK, True)
    return flushing


def _flushing_before(change: Callable[..., Any]) -> Any:
    @functools.wraps(change)
    def flushing(*arguments: Any) -> Any:
        _core.flush_reports()
        try:
            return change(*arguments)
        finally:
            _filters_changed()

    setattr(flushing, _MARK, True)
    return flushing


class _RecordedWarnings(list[Any]):
    """The list that a block records warnings in. Reading it runs pending work that may warn."""


def _flushing_read(name: str) -> Any:
    read = getattr(list, name)

    @functools.wraps(read)
    def flushing(log: Any, *arguments: Any, **keywords: Any) -> Any:
        _core.flush_reports()
        return read(log, *arguments, **keywords)

    return flushing


# Methods by which Python adds warnings, and those that do not depend on the elements.
_NOT_READS = {"append", "__init__", "__new__", "__hash__", "__class_getitem__", "__getattribute__"}

for _name in vars(list):
    if callable(getattr(list, _name)) and _name not in _NOT_READS:
        setattr(_RecordedWarnings, _name, _flushing_read(_name))


def _flushing_log(module: Any, log: list[Any]) -> list[Any]:
    """Makes the block of `warnings` that was entered last record in a list that flushes."""
    recorded = _RecordedWarnings(log)
    if getattr(sys.flags, "context_aware_warnings", False):
        module._get_context().log = recorded
    else:
        module._showwarnmsg_impl = recorded.append
    return recorded
