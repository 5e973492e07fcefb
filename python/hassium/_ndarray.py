"""``hassium.ndarray`` and ``hassium.ufunc`` as classes to test against and derive from."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core


class _ArrayMeta(type):
    """Instances are hassium's and NumPy's arrays; a derived class derives from NumPy's."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> type:
        if any(isinstance(base, _ArrayMeta) for base in bases):
            plain = tuple(numpy.ndarray if isinstance(b, _ArrayMeta) else b for b in bases)
            return type(name, plain, namespace, **kwargs)
        return super().__new__(mcs, name, bases, namespace)

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is _core.ndarray or isinstance(instance, numpy.ndarray)

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or other is _core.ndarray or issubclass(other, numpy.ndarray)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _core.ndarray(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        # What only NumPy's arrays have is for classes that derive from them.
        owner = _core.ndarray if hasattr(_core.ndarray, name) else numpy.ndarray
        return getattr(owner, name)


class ndarray(metaclass=_ArrayMeta):
    """A multidimensional array that records operations and runs them when read.

    ``isinstance`` accepts NumPy's arrays too; a class derived from this one derives from
    ``numpy.ndarray``.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """For a derived class to call by name: its instances are NumPy's."""
        if cls is ndarray:
            return _core.ndarray(*args, **kwargs)
        make: Any = numpy.ndarray.__new__
        return make(cls, *args, **kwargs)


class _UfuncMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (_core.ufunc, numpy.ufunc))

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, (_core.ufunc, numpy.ufunc))


class ufunc(metaclass=_UfuncMeta):
    """A function that works element by element; hassium's and NumPy's are instances."""
