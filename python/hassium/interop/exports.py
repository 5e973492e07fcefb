"""Other packages' functions, called with NumPy's arrays in the place of hassium's."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core


def exported(value: Any) -> Any:
    """NumPy's view of an array and NumPy's own generator; anything else as it is."""
    if type(value) is _core.ndarray:
        return value.__array__()  # one object for one array, however often it is handed over
    if type(value).__module__ == "hassium.random":
        return getattr(value, "_numpys", value)
    return value


def replace(module: str, name: str, made: Callable[[Any], Any]) -> None:
    """Puts another function in the place of a package's, wherever the package imported it to."""
    theirs = getattr(sys.modules[module], name)
    ours = made(theirs)
    ours.__name__, ours.__doc__, ours.__module__ = name, theirs.__doc__, theirs.__module__
    package = module.partition(".")[0]
    for other, loaded in list(sys.modules.items()):
        if (
            other.partition(".")[0] == package
            and getattr(loaded, "__dict__", {}).get(name) is theirs
        ):
            setattr(loaded, name, ours)


def with_exports(function: Any, export: Callable[[Any], Any] = exported) -> Any:
    """That function, called with exported memory."""

    @functools.wraps(function)
    def exporting(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        exports = [export(value) for value in given]
        named = dict(zip(kwargs, exports[len(args) :], strict=True))
        result = function(*exports[: len(args)], **named)
        if type(result) is numpy.ndarray:  # what was given for `out` comes back as it was
            for value, theirs in zip(given, exports, strict=True):
                if result is theirs:
                    return value
        return result

    return exporting


FEW = 32  # keys: more in one list are data


def _with_keys(value: Any) -> Any:
    """An array, or the arrays among a few keys, as NumPy's."""
    if type(value) in (list, tuple) and len(value) <= FEW:
        return type(value)(map(exported, value))
    return exported(value)


def with_exported_keys(function: Any) -> Any:
    """That function, called with exported memory, as it is among the keys of an index."""
    return with_exports(function, _with_keys)


def teach_function(module: str, *names: str, made: Callable[[Any], Any] = with_exports) -> None:
    """For functions of a module, called with exported memory from here on."""
    for name in names:
        replace(module, name, made)


def teach_methods(module: str, kind: str, *names: str) -> None:
    """For methods of a module's class, called with exported memory from here on."""
    taught = getattr(sys.modules[module], kind)
    for name in names:
        method = with_exported_keys(getattr(taught, name))
        setattr(taught, name, staticmethod(method) if name == "__new__" else method)


_LIKE = numpy.empty(0)


def _is_instance(value: Any, classes: Any) -> bool:
    """isinstance, which says of an array of ours what it says of one of NumPy's."""
    return isinstance(_LIKE if type(value) is _core.ndarray else value, classes)


def teach_question(module: str) -> None:
    """Has a module take arrays of ours for NumPy's where it asks with isinstance."""
    vars(sys.modules[module])["isinstance"] = _is_instance
