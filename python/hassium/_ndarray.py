"""``hassium.ndarray`` and ``hassium.ufunc`` as classes to test against and derive from."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core


def _owner(array: Any) -> type:
    """The class whose methods are for `array`: its own may be of NumPy's, by derivation."""
    return numpy.ndarray if isinstance(array, numpy.ndarray) else _core.ndarray


def _by_name(name: str, member: Callable[..., Any]) -> Callable[..., Any]:
    """``ndarray.name`` for whichever array it is called with."""

    @functools.wraps(member)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(_owner(self), name)(self, *args, **kwargs)

    method.__module__ = "hassium"
    return method


def _attribute(name: str, doc: str | None) -> property:
    """``ndarray.name`` to get and set it by name."""

    def get(self: Any) -> Any:
        return getattr(_owner(self), name).__get__(self)

    def assign(self: Any, value: Any) -> None:
        getattr(_owner(self), name).__set__(self, value)

    return property(get, assign, None, doc)


def _view(self: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A view of the same data, where ``ndarray`` means that of NumPy for NumPy's arrays."""
    if isinstance(self, numpy.ndarray):
        args = tuple(numpy.ndarray if kind is ndarray else kind for kind in args)
        kwargs = {key: numpy.ndarray if v is ndarray else v for key, v in kwargs.items()}
        return numpy.ndarray.view(self, *args, **kwargs)
    view: Any = _core.ndarray.view
    return view(self, *args, **kwargs)


_view.__name__, _view.__qualname__, _view.__module__ = "view", "ndarray.view", "hassium"
_view.__doc__ = numpy.ndarray.view.__doc__


class _Derived(numpy.ndarray):
    """Between NumPy's array and the classes that derive from ours: ``view(ndarray)`` is theirs."""

    __slots__ = ()

    view = _view


class _ArrayMeta(abc.ABCMeta):
    """Instances are hassium's and NumPy's arrays; a derived class derives from NumPy's.

    Derived from ABCMeta so that a class may derive from an abstract one as well.
    """

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> type:
        if any(isinstance(base, _ArrayMeta) for base in bases):
            plain = tuple(_Derived if isinstance(b, _ArrayMeta) else b for b in bases)
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


_OF_CLASSES = {"__new__", "__doc__", "__class_getitem__"}

for _name, _member in vars(numpy.ndarray).items():
    if _name in _OF_CLASSES:
        continue
    if callable(_member):
        setattr(ndarray, _name, _by_name(_name, _member))
    elif hasattr(_member, "__set__"):
        setattr(ndarray, _name, _attribute(_name, _member.__doc__))
    else:
        setattr(ndarray, _name, _member)
ndarray.view = _view  # type: ignore[attr-defined]


class _UfuncMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (_core.ufunc, numpy.ufunc))

    def __getattr__(cls, name: str) -> Any:
        return getattr(_core.ufunc, name)

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, (_core.ufunc, numpy.ufunc))


class ufunc(metaclass=_UfuncMeta):
    """A function that works element by element; hassium's and NumPy's are instances."""
