"""The explicit way through NumPy, for functions without a native form.

A call exports hassium arrays among the arguments (also inside lists, tuples and dicts), runs
NumPy's function on that memory, brings the results back, and counts the function's name and call
site in ``hassium.stats()["fallbacks"]``. Nothing else in the package calls NumPy to compute.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core

_HASSIUM = (_core.ndarray, _core.scalar)
_CONTAINERS = (list, tuple, dict)


def to_numpy(value: Any, seen: dict[int, Any]) -> Any:
    """`value` with every hassium array exported; `seen` maps an export's id to its array."""
    kind = type(value)
    if kind is _core.ndarray:
        exported = value.__array__()
        seen[id(exported)] = (exported, value)
        return exported
    if kind is _core.scalar:
        return value.item_numpy()
    if kind is list:
        return [to_numpy(v, seen) for v in value]
    if kind is tuple:
        return tuple(to_numpy(v, seen) for v in value)
    if kind is dict:
        return {k: to_numpy(v, seen) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(to_numpy(v, seen) for v in value))
    original = getattr(value, "__hassium_original__", None)
    return value if original is None else original


def to_hassium(value: Any, seen: dict[int, Any]) -> Any:
    """`value` with every NumPy array brought back; an argument's export becomes that argument."""
    kind = type(value)
    if kind is numpy.ndarray:
        known = seen.get(id(value))
        return known[1] if known is not None else _core.from_numpy(value)
    if kind is list:
        return [to_hassium(v, seen) for v in value]
    if kind is tuple:
        return tuple(to_hassium(v, seen) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(to_hassium(v, seen) for v in value))
    return value


def call(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Counts `name` and returns ``function(*args, **kwargs)`` run on exported memory."""
    _core.count_fallback(name)
    seen: dict[int, Any] = {}
    args = to_numpy(args, seen)
    kwargs = to_numpy(kwargs, seen)
    return to_hassium(function(*args, **kwargs), seen)


def wrap(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's `function` as a counted fallback of that `name`."""

    def fallback(*args: Any, **kwargs: Any) -> Any:
        return call(name, function, args, kwargs)

    try:
        functools.update_wrapper(fallback, function)
    except (AttributeError, TypeError):
        fallback.__name__ = name
    fallback.__hassium_original__ = function  # type: ignore[attr-defined]
    return fallback


class FallbackObject:
    """An instance of a NumPy class (a Generator, a poly1d) whose methods are counted fallbacks."""

    def __init__(self, name: str, original: Any) -> None:
        self.__dict__["_name"] = name
        self.__dict__["__hassium_original__"] = original

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self.__dict__["__hassium_original__"], attribute)
        if callable(value):
            return wrap(f"{self.__dict__['_name']}.{attribute}", value)
        return to_hassium(value, {})

    def __setattr__(self, attribute: str, value: Any) -> None:
        setattr(self.__dict__["__hassium_original__"], attribute, to_numpy(value, {}))

    def __repr__(self) -> str:
        return repr(self.__dict__["__hassium_original__"])


def wrap_module(name: str, module: types.ModuleType) -> types.ModuleType:
    """A twin of NumPy's submodule whose functions are counted fallbacks, made on first use."""
    twin = types.ModuleType(f"hassium.{name}", module.__doc__)
    twin.__dict__["__hassium_original__"] = module

    def lookup(attribute: str) -> Any:
        value = wrap_value(f"{name}.{attribute}", getattr(module, attribute))
        twin.__dict__[attribute] = value
        return value

    twin.__dict__["__getattr__"] = lookup
    twin.__dict__["__dir__"] = lambda: dir(module)
    if hasattr(module, "__all__"):
        twin.__dict__["__all__"] = list(module.__all__)
    return twin


def wrap_value(name: str, value: Any) -> Any:
    """A member of NumPy's namespace as hassium shows it."""
    if isinstance(value, types.ModuleType):
        return wrap_module(name, value) if value.__name__.startswith("numpy") else value
    if isinstance(value, type) or not callable(value):
        return value
    return wrap(name, value)
