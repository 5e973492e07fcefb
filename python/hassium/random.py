"""NumPy's own random streams: the same generators and bits, drawn by NumPy into adopted memory.

Drawing is neither lazy nor a fallback: the streams are NumPy's by definition. Arguments that are
hassium arrays are exported; results are hassium arrays on the memory NumPy drew into.
"""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core


class Drawing:
    """A NumPy generator, or one of its modules, whose draws come back as hassium arrays."""

    def __init__(self, original: Any) -> None:
        self.__dict__["__hassium_original__"] = original

    def __getattr__(self, name: str) -> Any:
        return drawn(getattr(self.__dict__["__hassium_original__"], name))

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

    def draw(*args: Any, **kwargs: Any) -> Any:
        plain = tuple(a.__dict__["__hassium_original__"] if type(a) is Drawing else a for a in args)
        result = _core.call_numpy(value, plain, kwargs, None)
        if isinstance(result, (numpy.random.Generator, numpy.random.RandomState)):
            return Drawing(result)
        return result

    return draw


def __getattr__(name: str) -> Any:
    value = drawn(getattr(numpy.random, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(numpy.random)
