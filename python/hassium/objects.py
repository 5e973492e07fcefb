"""Members of NumPy's namespace that are objects or classes and give arrays: here hassium's."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy

from hassium import _fallback


class Wrapping:
    """For NumPy an object that wraps results, and whose `__array__` gives an array of ours.

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


class _Subscripted:
    """``r_``, ``mgrid`` and their like: a counted fallback for each key."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numpys = getattr(numpy, name)
        self.__doc__ = self._numpys.__doc__

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and self._name in ("r_", "c_"):
            # Names of the caller's, which NumPy looks for in the frame above its own.
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

OBJECTS: dict[str, Any] = {
    **{name: _Subscripted(name) for name in ("r_", "c_", "mgrid", "ogrid")},
    "vectorize": vectorize,
    "load": load,
}
