"""Objects that answer in their own way where NumPy's functions ask them, and how they look."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core

DATA = numpy.array([[4.0, 1.0, 2.0], [3.0, 9.0, 5.0], [7.0, 6.0, 8.0]])
MASK = numpy.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)


class Tagged(numpy.ndarray):
    """A subclass that keeps something beside the data."""

    tag: str = "none"

    def __array_finalize__(self, parent: Any) -> None:
        self.tag = getattr(parent, "tag", "none")


class Wrapped:
    """What the protocols see is an array inside; subclasses add the ways to answer."""

    def __init__(self, values: Any) -> None:
        self.values = numpy.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.array(self.values, dtype, copy=copy)

    def __getitem__(self, index: Any) -> Any:
        return type(self)(self.values[index])

    def __len__(self) -> int:
        return len(self.values)


class Duck(Wrapped):
    """Answers functions by telling which was called."""

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return "function", function.__name__, described(args), sorted(kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        # Some of the rest is passed on only by NumPy or only by hassium, with the same meaning.
        told = sorted({"out", "initial"}.intersection(kwargs))
        return "ufunc", ufunc.__name__, method, described(args), told


class Picky(Duck):
    """Knows NumPy's arrays and no others."""

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (Picky, numpy.ndarray)) for kind in types):
            return NotImplemented
        return super().__array_function__(function, types, args, kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, (Picky, numpy.ndarray, numpy.generic, float)) for x in args):
            return NotImplemented
        return super().__array_ufunc__(ufunc, method, *args, **kwargs)


class Wrapping(Wrapped):
    """Wraps the answers of functions."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return Wrapping(array)


def _answer(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: ("method", name, described(args), sorted(kwargs))


class Methods(Wrapped):
    """Has methods of the names of functions and no protocol."""


for _name in (
    "all any argmax argmin argsort clip compress copy cumprod cumsum diagonal dot max mean min "
    "nonzero prod ptp put ravel repeat reshape round searchsorted sort squeeze std sum swapaxes "
    "take trace transpose var"
).split():
    setattr(Methods, _name, _answer(_name))


class Finding:
    """Finds such methods itself."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Methods, name):
            raise AttributeError(name)
        return getattr(Methods(self.values), name)

    __array__ = Wrapped.__array__
    __getitem__ = Wrapped.__getitem__
    __len__ = Wrapped.__len__


def tagged(values: Any) -> Any:
    made = numpy.array(values).view(Tagged)
    made.tag = "given"
    return made


KINDS: dict[str, Callable[[Any], Any]] = {
    "masked": lambda values: numpy.ma.array(values, mask=MASK[tuple(map(slice, values.shape))]),
    "matrix": numpy.matrix,
    "subclass": tagged,
    "duck": Duck,
    "picky": Picky,
    "wrapping": Wrapping,
    "methods": Methods,
    "finding": Finding,
}


def described(value: Any) -> Any:
    """Types, dtypes, shapes and elements; ours and NumPy's arrays look the same."""
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, (Wrapped, Finding)):
        return type(value).__name__, described(value.values)
    if value is numpy.ma.masked:
        return "masked"
    if isinstance(value, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(value).tolist()
        return "masked", value.dtype.str, value.filled(-99).tolist(), mask
    kind = type(value).__name__
    if isinstance(value, (_core.ndarray, numpy.ndarray)):
        return kind, getattr(value, "tag", None), value.dtype.str, rounded(value), value.shape
    if isinstance(value, (_core.scalar, numpy.generic)):
        return "scalar", value.dtype.str, rounded(value)
    return kind, rounded(value)


def rounded(value: Any) -> Any:
    """Elements to the digits that every way of computing them shares."""
    values = numpy.asarray(value)
    if values.dtype.kind not in "fc":
        return value.tolist() if hasattr(value, "tolist") else repr(value)
    return [f"{x:.9g}" for x in values.ravel().tolist()]
