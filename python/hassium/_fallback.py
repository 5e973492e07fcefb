"""The explicit way through NumPy, for functions without a native form.

A call exports hassium arrays among the arguments (also inside lists, tuples and dicts), runs
NumPy's function on that memory, brings the results back, and counts the function's name and call
site in ``hassium.stats()["fallbacks"]``. Nothing else in the package calls NumPy to compute.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core
from hassium._core import call_numpy

AS_NUMPYS = "no native form; NumPy's own runs on finished arrays (stats()['fallbacks'])."


def call(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Counts `name` and returns ``function(*args, **kwargs)`` run on exported memory."""
    return call_numpy(function, args, kwargs, name)


def own_array(a: Any) -> Any:
    """`a` as an array of ours; None where its dtype has no kernels: NumPy is to be asked."""
    if type(a) is _core.ndarray:
        return a
    found = _core.asarray(a)
    return found if type(found) in (_core.ndarray, _core.scalar) else None


def documented(text: str | None, about: str) -> str:
    """NumPy's documentation of a function, with a line about hassium's at the end."""
    text = text or ""
    indent = text[text.rfind("\n") + 1 :]  # of NumPy's source, where the text ends in a line of it
    if not indent.isspace():
        others = [line for line in text.splitlines()[1:] if line.strip()]
        indent = min((line[: len(line) - len(line.lstrip())] for line in others), default="")
    return f"{text.rstrip()}\n\n{indent}hassium: {about}\n"


def describe(made: Any, numpys: Any) -> None:
    """Has `made` show the parameters of NumPy's function, or none where that shows none."""
    made.__wrapped__ = getattr(numpys, "__wrapped__", numpys)
    for name in ("__signature__", "__text_signature__"):
        found = getattr(numpys, name, None)
        if found is not None:
            setattr(made, name, found)


def wrap(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's `function` as a counted fallback of that `name`, equal to it as a native one is."""
    made: Any = _core.dispatcher(None, function, name)
    functools.update_wrapper(made, function)
    describe(made, function)
    made.__doc__ = documented(function.__doc__, AS_NUMPYS)
    holder, _, last = name.rpartition(".")
    made.__module__ = f"hassium.{holder}" if holder else "hassium"  # pickle finds it there
    made.__name__ = made.__qualname__ = last
    return made  # type: ignore[no-any-return]


_DICT: Any = vars(types.ModuleType)["__dict__"]


class Twin(types.ModuleType):
    """A module that looks NumPy's names up when asked for them, and for ``vars`` has them all."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        for name in tuple(vars(_of_numpy(self.__name__))):
            if not name.startswith("__"):
                getattr(self, name, None)
        return _DICT.__get__(self)  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        """By name: functions that are pickled by value, as cloudpickle does, refer to modules."""
        if importlib.import_module(self.__name__) is not self:
            raise TypeError(f"cannot pickle {self!r}: another module has its name")
        return importlib.import_module, (self.__name__,)


def _of_numpy(name: str) -> Any:
    """NumPy's module for one of that name in hassium, as attributes lead to it."""
    holder: Any = numpy
    for part in name.split(".")[1:]:
        holder = getattr(holder, part)
    return holder


@functools.cache
def wrap_module(name: str, module: types.ModuleType) -> types.ModuleType:
    """A twin of NumPy's submodule whose functions are counted fallbacks, made on first use."""
    twin: Any = Twin(f"hassium.{name}", module.__doc__)
    if hasattr(module, "__path__"):
        twin.__path__ = []  # a package in which no file is found, least of all NumPy's own

    def finish(attribute: str, *found: Any) -> Any:
        if not found:
            return getattr(module, attribute)  # once more, for the error
        value = wrap_value(f"{name}.{attribute}", found[0])
        if attribute in vars(module):  # else NumPy wants to be asked each time, as it warns
            setattr(twin, attribute, value)
        return value

    twin.__getattr__ = _core.lookup(module, finish)
    twin.__dir__ = lambda: dir(module)
    if hasattr(module, "__all__"):
        twin.__all__ = list(module.__all__)
    return twin  # type: ignore[no-any-return]


def complete_core() -> None:
    """Gives the extension `_core` the names of NumPy's private `_core` that it lacks.

    Programs reach into ``np._core`` although it is private.
    """
    module: Any = _core
    module.__path__ = []
    module.__getattr__ = functools.partial(
        getattr, wrap_module("_core", _of_numpy("hassium._core"))
    )


class Operation:
    """An object of NumPy's that is called and has methods, as `ma.add`: all counted fallbacks.

    It is an instance of the class of NumPy's object, and equal to that object.
    """

    def __init__(self, name: str, operation: Any) -> None:
        functools.update_wrapper(self, operation)
        self.__doc__ = documented(operation.__doc__, AS_NUMPYS)
        self._name, self._operation = name, operation

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._operation)

    def __eq__(self, other: object) -> bool:
        its = other._operation if type(other) is Operation else other
        return bool(self._operation == its)

    def __hash__(self) -> int:
        return hash(self._operation)

    def __reduce__(self) -> Any:
        """By name: the class that pickle would make one of is NumPy's."""
        return operator.attrgetter(self._name), (sys.modules["hassium"],)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call_numpy(self._operation, args, kwargs, self._name)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # a copy is asked for them before it has an operation
            raise AttributeError(attribute)
        return wrap_value(f"{self._name}.{attribute}", getattr(self._operation, attribute))

    def __repr__(self) -> str:
        return repr(self._operation)


def wrap_value(name: str, value: Any) -> Any:
    """A member of NumPy's namespace as hassium shows it."""
    if isinstance(value, types.ModuleType):
        package, *path = value.__name__.split(".")
        if package != "numpy":
            return value
        # By the name it is imported under: `emath` is `lib.scimath`.
        public = bool(path) and not any(part.startswith("_") for part in path)
        return wrap_module(".".join(path) if public else name, value)
    # An annotation, as typing.NDArray, is called by nobody.
    if isinstance(value, type) or not callable(value) or hasattr(value, "__origin__"):
        return value
    return wrap(name, value) if inspect.isroutine(value) else Operation(name, value)
