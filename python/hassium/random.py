"""NumPy's own random streams: the same generators and bits, drawn by NumPy into adopted memory.

Drawing is neither lazy nor a fallback: the streams are NumPy's by definition. Arguments that are
hassium arrays are exported; results are hassium arrays on the memory NumPy drew into.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from hassium import _core

# Methods of a Generator that can draw into memory that is there, `size` being their first argument.
FILLING = frozenset(("random", "standard_normal", "standard_exponential"))
# Fresh memory of that size costs page faults on first touch, the pool's has been touched.
LARGE_BYTES = 1 << 20


class Drawing:
    """A NumPy generator, or one of its modules, whose draws come back as hassium arrays."""

    def __init__(self, original: Any) -> None:
        self.__dict__["__hassium_original__"] = original

    def __getattr__(self, name: str) -> Any:
        value = drawn(getattr(self.__dict__["__hassium_original__"], name))
        if callable(value):  # asked for by every draw
            self.__dict__[name] = value
        return value

    def __reduce__(self) -> Any:
        return Drawing, (self.__dict__["__hassium_original__"],)

    def __repr__(self) -> str:
        return repr(self.__dict__["__hassium_original__"])


def drawn(value: Any) -> Any:
    """`value` of NumPy's random module as hassium shows it."""
    if isinstance(value, type):
        if value in (numpy.random.Generator, numpy.random.RandomState):
            return lambda *args, **kwargs: Drawing(value(*args, **kwargs))
        return value
    if not callable(value):
        return value
    if isinstance(owner := getattr(value, "__self__", None), numpy.random.Generator):
        if value.__name__ == "spawn":
            return lambda *args, **kwargs: [Drawing(child) for child in value(*args, **kwargs)]
        return filling(value) if value.__name__ in FILLING else plain(value)
    if isinstance(owner, numpy.random.RandomState):
        return plain(value)

    def make(*args: Any, **kwargs: Any) -> Any:
        result = _core.call_numpy(value, tuple(map(original_of, args)), kwargs, None)
        if isinstance(result, (numpy.random.Generator, numpy.random.RandomState)):
            return Drawing(result)
        return result

    return make


def plain(method: Any) -> Any:
    """A method of a generator; what it draws is adopted."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        return _core.call_numpy(method, args, kwargs, None)

    return draw


def filling(method: Any) -> Any:
    """A method of a generator that draws many numbers straight into memory of the pool."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        if (target := target_of(args, kwargs)) is not None:
            kwargs = {**kwargs, "out": target}
        return _core.call_numpy(method, args, kwargs, None)

    return _core.drawer(method, draw)


def original_of(argument: Any) -> Any:
    return argument.__dict__["__hassium_original__"] if type(argument) is Drawing else argument


def target_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An array of the pool for a plain draw of many numbers; None for any other."""
    size = args[0] if args else kwargs.get("size")
    if size is None:
        return None
    shape = (size,) if type(size) is int else size
    if type(shape) is not tuple or not all(type(extent) is int for extent in shape):
        return None
    if 8 * math.prod(shape) < LARGE_BYTES or min(shape) < 0:
        return None
    if len(args) > 2 or kwargs.keys() - {"size", "dtype", "method"}:
        return None
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype", numpy.float64)
    try:
        known = numpy.dtype(dtype)
    except TypeError:
        return None
    return _core.empty(shape, known) if known in (numpy.float64, numpy.float32) else None


def __getattr__(name: str) -> Any:
    value = drawn(getattr(numpy.random, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(numpy.random)
