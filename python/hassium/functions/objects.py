"""NumPy's objects and classes whose results are arrays: here hassium's."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium.functions import creation


class Wrapping:
    """An argument for NumPy that wraps results, and whose `__array__` returns a hassium array.

    `array` is the export of that array.
    """

    def __init__(self, given: Any, array: Any) -> None:
        self._given, self._array = given, array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.array(self._array, dtype, copy=copy)

    def __array_wrap__(self, *args: Any) -> Any:
        return self._given.__array_wrap__(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)


_NUMBERS = frozenset((int, float, complex, bool))
_OURS = frozenset((_core.ndarray, _core.scalar))


def _one_axis(item: Any) -> Any:
    return item if item.ndim else item.reshape(1)


def _columns(item: Any) -> Any:
    return item if item.ndim > 1 else item.reshape(-1, 1)


def _samples(item: slice) -> Any:
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):  # numpy.complex128 is a subclass
        return creation.linspace(start, item.stop, int(abs(step)))
    return creation.arange(start, item.stop, step)


def _joined(key: Any, shaped: Callable[[Any], Any], axis: int) -> Any:
    """Returns `r_` or `c_` of hassium arrays among numbers and slices, or None without one."""
    items = key if type(key) is tuple else (key,)
    if _OURS.isdisjoint(map(type, items)):
        return None
    parts, kinds = [], []
    for item in items:
        found = item
        if type(item) not in _OURS:
            if type(item) is slice and item.stop is not None:
                found = _samples(item)
            elif type(item) in _NUMBERS:
                parts.append(item)
                kinds.append(item)
                continue
            elif isinstance(item, (list, numpy.generic)):
                found = _fallback.own_array(item)
            else:
                return None
            if found is None:
                return None
        parts.append(shaped(found))
        kinds.append(found.dtype)
    dtype = _core.result_type(*kinds)
    arrays = [x if hasattr(x, "dtype") else shaped(_core.asarray(x, dtype)) for x in parts]
    return _core.concatenate(arrays, axis, dtype=dtype, casting="unsafe")


_JOINED: dict[str, tuple[Callable[[Any], Any], int]] = {"r_": (_one_axis, 0), "c_": (_columns, -1)}


class _Subscripted:
    """``mgrid`` and its like: every key is a counted fallback, except most of `r_` and `c_`."""

    __module__ = "hassium"  # pickle looks the objects up there

    def __init__(self, name: str) -> None:
        self._name = name
        self._numpys = getattr(numpy, name)
        self._how = _JOINED.get(name)
        self.__doc__ = self._numpys.__doc__

    def __getitem__(self, key: Any) -> Any:
        if self._how is not None:
            joined = _joined(key, *self._how)
            if joined is not None:
                return joined
        if isinstance(key, str) and self._how is not None:
            # A string names variables of the caller, which NumPy looks up in the frame above its
            # own.
            frame = sys._getframe(1)
            return _fallback.call(
                self._name, numpy.bmat, (key, frame.f_globals, frame.f_locals), {}
            )
        return _fallback.call(self._name, self._numpys.__getitem__, (key,), {})

    def __len__(self) -> int:
        return len(self._numpys)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpys, name)

    def __repr__(self) -> str:
        return repr(self._numpys)

    def __reduce__(self) -> str:
        return self._name


class vectorize(numpy.vectorize):
    __doc__ = numpy.vectorize.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _fallback.call("vectorize", super().__call__, args, kwargs)


class NpzFile(numpy.lib.npyio.NpzFile):
    __doc__ = numpy.lib.npyio.NpzFile.__doc__

    def __getitem__(self, key: Any) -> Any:
        return _fallback.call("NpzFile", super().__getitem__, (key,), {})


vectorize.__module__ = NpzFile.__module__ = "hassium"


@functools.wraps(numpy.load)
def load(*args: Any, **kwargs: Any) -> Any:
    found = _fallback.call("load", numpy.load, args, kwargs)
    if type(found) is numpy.lib.npyio.NpzFile:
        found.__class__ = NpzFile
    return found


load.__module__ = "hassium"
load.__doc__ = _fallback.documented(numpy.load.__doc__, _fallback.AS_NUMPYS)

OBJECTS: dict[str, Any] = {
    **{name: _Subscripted(name) for name in ("r_", "c_", "mgrid", "ogrid")},
    "vectorize": vectorize,
    "load": load,
}
