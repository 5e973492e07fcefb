"""``hassium.ndarray`` and ``hassium.ufunc`` as classes for isinstance tests and for subclassing."""

from __future__ import annotations

import abc
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core, _fallback

ndarray, ufunc = _core.ndarray, _core.ufunc


def _own(name: str) -> Any:
    """Returns the attribute of hassium's array type."""
    return type.__getattribute__(ndarray, name)


def _for(array: Any, name: str) -> Any:
    """Returns the attribute of the class of `array`, which a subclass has from NumPy."""
    return getattr(numpy.ndarray, name) if isinstance(array, numpy.ndarray) else _own(name)


def _by_name(name: str, member: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``ndarray.name``, which dispatches on the array it is called with."""

    @functools.wraps(member)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return _for(self, name)(self, *args, **kwargs)

    method.__module__ = "hassium"
    _fallback.describe(method, member)
    return method


def _attribute(name: str, doc: str | None) -> property:
    """Returns ``ndarray.name`` as a property, for access by name."""

    def get(self: Any) -> Any:
        return _for(self, name).__get__(self)

    def assign(self: Any, value: Any) -> None:
        _for(self, name).__set__(self, value)

    return property(get, assign, None, doc)


def _new(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    """``ndarray.__new__``, for a subclass that calls it by name: its instances are NumPy's."""
    if cls is ndarray:
        return ndarray(*args, **kwargs)
    make: Any = numpy.ndarray.__new__
    return make(cls, *args, **kwargs)


_new.__name__, _new.__qualname__, _new.__module__ = "__new__", "ndarray.__new__", "hassium"

# ``ndarray.name``. Attributes of arrays bypass it: they are found in the type itself.
_BY_NAME: dict[str, Any] = {}
for _name, _member in vars(numpy.ndarray).items():
    if callable(_member):
        _BY_NAME[_name] = _by_name(_name, _member)
    elif hasattr(_member, "__set__"):
        _BY_NAME[_name] = _attribute(_name, _member.__doc__)
    else:
        _BY_NAME[_name] = _member
_BY_NAME["__new__"] = _new
del _BY_NAME["__doc__"]


def _of_kind(item: Any) -> types.GenericAlias:
    """Returns the annotation ``ndarray[...]``, whose origin is the class programs know."""
    return types.GenericAlias(ndarray, numpy.ndarray.__class_getitem__(item).__args__)


_BY_NAME["__class_getitem__"] = _of_kind

# Code that looks a class up in a registry walks these, and finds NumPy's entry after our own.
_ANCESTORS = (ndarray, numpy.ndarray, object)
_BY_NAME["__mro__"] = _ANCESTORS
_BY_NAME["mro"] = lambda: list(_ANCESTORS)


def _plain(value: Any) -> Any:
    """Returns an argument as NumPy's arrays accept it; `out` is a tuple."""
    if type(value) is tuple:
        return tuple(map(_plain, value))
    return numpy.asarray(value) if type(value) in (ndarray, _core.scalar) else value


class _Unwrapping(numpy.ndarray):
    """Base of a subclass with an `__array_ufunc__` of its own.

    Such a method converts its operands to plain arrays, also by `asarray`, and passes them to
    `super()`, where NumPy's arrays would defer to hassium's.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        kwargs = {name: _plain(value) for name, value in kwargs.items()}
        return super().__array_ufunc__(ufunc, method, *map(_plain, inputs), **kwargs)


class _ArrayMeta(abc.ABCMeta):
    """The class of hassium's and NumPy's arrays; a subclass derives from NumPy's.

    Derived from ABCMeta so that a class may derive from an abstract one as well.
    """

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> type:
        numpys = _Unwrapping if "__array_ufunc__" in namespace else numpy.ndarray
        plain = tuple(numpys if base is ndarray else base for base in bases)
        return type(name, plain, namespace, **kwargs)

    __instancecheck__ = _core.is_any_array  # type: ignore[assignment]

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, numpy.ndarray)

    def __getattribute__(cls, name: str) -> Any:
        try:
            return _BY_NAME[name]
        except KeyError:
            return _own(name)

    @property
    def __signature__(cls) -> Any:
        import inspect  # on demand: import stays cheap

        return inspect.signature(numpy.ndarray)


_ABOUT = (
    "operations on an array are recorded, and run when a value is read. `isinstance` accepts "
    "NumPy's arrays too; a class derived from this one derives from `numpy.ndarray`."
)


def document() -> None:
    """Documents the class by NumPy's text, and ``ndarray.name`` by that of registered methods."""
    text = _fallback.documented(numpy.ndarray.__doc__, _ABOUT)
    _core.put_in_class(ndarray, "__doc__", text)
    for name, member in _BY_NAME.items():
        if name[0] != "_" and isinstance(member, types.FunctionType):
            member.__doc__ = _own(name).__doc__


_core.register_array_class(_ArrayMeta)
