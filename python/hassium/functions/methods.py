"""Array methods written in Python, registered with the array type at import.

A function whose first argument is the array serves as a method unchanged.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy

from hassium import _core, _namespace
from hassium.functions import elementwise, indexing, manipulation, moments, reductions, searching

_NO = numpy._NoValue


def _through_numpy(name: str) -> Any:
    """Returns a method without a native form: NumPy's, on exported memory, counted."""
    return _namespace.method(name, None, getattr(numpy.ndarray, name))


def _removed(attribute: types.GetSetDescriptorType) -> Any:
    """Returns an attribute that NumPy has removed: its error says what to use instead."""
    return property(lambda self: attribute.__get__(self.__array__()))


def _of_number(name: str) -> Any:
    """Returns that method of a lazy scalar, called on NumPy's scalar."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.to_numpy()[()], name)(*args, **kwargs)

    return functools.update_wrapper(method, getattr(numpy.generic, name))


def _behind_dispatcher(name: str, native: Any) -> Any:
    """Returns a native method that leaves calls with foreign arguments to NumPy."""

    def numpys(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    return _namespace.method(name, native, numpys)


def _clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return elementwise.clip(self, min, max, out, **kwargs)


def _take(self: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    if out is None and mode == "raise":
        taken = _core.take_positions(self, indices, axis)
        if taken is not None:
            return taken
    return indexing.take(self, indices, axis, out, mode)


def _searchsorted(self: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    return searching.searchsorted(self, v, side, sorter)


def _var(
    self: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
) -> Any:
    return moments.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean)


def _std(
    self: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
) -> Any:
    return moments.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean)


def _sort(
    self: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    if axis is None or not self.flags.writeable:
        return NotImplemented
    found = searching.sort(self, axis, kind, order, stable=stable)
    if found is NotImplemented:
        return NotImplemented
    self[...] = found
    return None


def _argsort(
    self: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    return searching.argsort(self, axis, kind, order, stable=stable)


def _put(self: Any, indices: Any, values: Any, mode: Any = "raise") -> Any:
    return indexing.put(self, indices, values, mode)


def _array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = False, /) -> Any:
    if not isinstance(array, _core.ndarray):
        kind = type(array).__name__
        raise TypeError(f"__array_wrap__() argument 1 must be numpy.ndarray, not {kind}")
    if isinstance(array, numpy.ndarray):
        array = _core.from_numpy(array.view(numpy.ndarray), False)
    return array[()] if return_scalar and array.ndim == 0 else array


for _function in (_clip, _take, _searchsorted, _sort, _argsort, _put, _var, _std):
    _function.__name__ = _function.__name__[1:]
    _function.__doc__ = getattr(numpy.ndarray, _function.__name__).__doc__
_array_wrap.__doc__ = numpy.ndarray.__array_wrap__.__doc__

_NATIVE = {
    "mean": moments.mean,
    "var": _var,
    "std": _std,
    "trace": reductions.trace,
    "clip": _clip,
    "round": elementwise.round,
    "dot": elementwise.dot,
    "repeat": manipulation.repeat,
    "take": _take,
    "searchsorted": _searchsorted,
    "put": _put,
    "sort": _sort,
    "argsort": _argsort,
}

_OF_BOTH = {name: _behind_dispatcher(name, native) for name, native in _NATIVE.items()}
# All other methods of NumPy's arrays.
_THROUGH_NUMPY = [
    name
    for name, member in vars(numpy.ndarray).items()
    if callable(member)
    and name[0] != "_"
    and name not in _OF_BOTH
    and name not in vars(_core.ndarray)
]
OF_ARRAYS = _OF_BOTH | {name: _through_numpy(name) for name in _THROUGH_NUMPY}
OF_ARRAYS |= {
    name: _removed(member)
    for name, member in vars(numpy.ndarray).items()
    if isinstance(member, types.GetSetDescriptorType) and name not in vars(_core.ndarray)
}
OF_ARRAYS["__array_wrap__"] = _array_wrap
OF_SCALARS = _OF_BOTH | {
    name: _of_number(name) for name in _THROUGH_NUMPY if hasattr(numpy.generic, name)
}
