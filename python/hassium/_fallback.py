"""The explicit path through NumPy, for functions without a native form.

A call exports the hassium arrays among its arguments (also inside lists, tuples and dicts), runs
NumPy's function on that memory, wraps the results, and counts the function's name and call site in
``hassium.stats()["fallbacks"]``. Nothing else in the package calls NumPy to compute.
"""

from __future__ import annotations

import functools
import importlib
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
    """Returns `a` as a hassium array, or None if its dtype has no kernels."""
    if type(a) is _core.ndarray:
        return a
    found = _core.asarray(a)
    return found if type(found) in (_core.ndarray, _core.scalar) else None


def documented(text: str | None, about: str) -> str:
    """Returns NumPy's documentation of a function, with a line about hassium's at the end."""
    text = text or ""
    indent = text[text.rfind("\n") + 1 :]  # of NumPy's source, if the text ends in an indented line
    if not indent.isspace():
        others = [line for line in text.splitlines()[1:] if line.strip()]
        indent = min((line[: len(line) - len(line.lstrip())] for line in others), default="")
    return f"{text.rstrip()}\n\n{indent}hassium: {about}\n"


def behind_dispatcher(function: Any) -> Any:
    """Returns what NumPy's function calls: written in Python, it shows what its version does."""
    return getattr(function, "__wrapped__", function)


def describe(made: Any, numpys: Any) -> None:
    """Copies the signature of NumPy's function to `made`, including a missing one."""
    made.__wrapped__ = behind_dispatcher(numpys)
    for name in ("__signature__", "__text_signature__"):
        found = getattr(numpys, name, None)
        if found is not None:
            setattr(made, name, found)


def wrap(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a counted fallback of that `name` that compares equal to NumPy's `function`."""
    made: Any = _core.dispatcher(None, function, name)
    functools.update_wrapper(made, function)
    describe(made, function)
    made.__doc__ = documented(function.__doc__, AS_NUMPYS)
    holder, _, last = name.rpartition(".")
    made.__module__ = f"hassium.{holder}" if holder else "hassium"  # pickle finds it there
    made.__name__ = made.__qualname__ = last
    return made  # type: ignore[no-any-return]


_DICT: Any = vars(types.ModuleType)["__dict__"]


class Twin(_core.namespace):
    """A module that looks up NumPy's names on first use; ``vars`` loads them all."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        for name in tuple(vars(_of_numpy(self.__name__))):
            if not name.startswith("__"):
                getattr(self, name, None)
        return _DICT.__get__(self)  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        """Pickles by name: functions pickled by value, as cloudpickle does, refer to modules."""
        if importlib.import_module(self.__name__) is not self:
            raise TypeError(f"cannot pickle {self!r}: another module has its name")
        return importlib.import_module, (self.__name__,)


def _of_numpy(name: str) -> Any:
    """Returns NumPy's module for the hassium module of that name, by following attributes."""
    holder: Any = numpy
    for part in name.split(".")[1:]:
        holder = getattr(holder, part)
    return holder


@functools.cache
def wrap_module(name: str, module: types.ModuleType) -> types.ModuleType:
    """Returns a twin of NumPy's submodule with counted fallbacks that are made on first use."""
    twin: Any = Twin(f"hassium.{name}", module.__doc__)
    # Not asked of the module: one that has moved warns of every access.
    if "__path__" in vars(module):
        twin.__path__ = []  # a package without files, so that NumPy's own are not found

    def finish(attribute: str, *found: Any) -> Any:
        if not found:
            return getattr(module, attribute)  # a second time, for the error
        value = wrap_value(f"{name}.{attribute}", found[0])
        if attribute in vars(module):  # for other names NumPy must be asked each time, as it warns
            setattr(twin, attribute, value)
        return value

    twin.__getattr__ = _core.lookup(module, finish)
    twin.__dir__ = lambda: dir(module)
    if "__all__" in vars(module):
        twin.__all__ = list(vars(module)["__all__"])
    return twin  # type: ignore[no-any-return]


def complete_core() -> None:
    """Adds the names of NumPy's private `_core` that the extension `_core` lacks.

    Programs use ``np._core`` although it is private.
    """
    module: Any = _core
    module.__path__ = []
    module.__getattr__ = functools.partial(
        getattr, wrap_module("_core", _of_numpy("hassium._core"))
    )


class Operation:
    """A callable object of NumPy's with methods, as `ma.add`: all its calls are counted fallbacks.

    It is an instance of the class of NumPy's object, and compares equal to that object.
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
        """Pickles by name: pickle would create an instance of NumPy's class."""
        return operator.attrgetter(self._name), (sys.modules["hassium"],)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call_numpy(self._operation, args, kwargs, self._name)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # copy asks for such names before `_operation` is set
            raise AttributeError(attribute)
        return wrap_value(f"{self._name}.{attribute}", getattr(self._operation, attribute))

    def __repr__(self) -> str:
        return repr(self._operation)


def wrap_value(name: str, value: Any) -> Any:
    """Returns a member of NumPy's namespace as hassium shows it."""
    if isinstance(value, types.ModuleType):
        package, *path = value.__name__.split(".")
        if package != "numpy":
            return value
        # By the name under which it is imported: `emath` is `lib.scimath`.
        public = bool(path) and not any(part.startswith("_") for part in path)
        return wrap_module(".".join(path) if public else name, value)
    # An annotation, as typing.NDArray, is never called.
    if isinstance(value, type) or not callable(value) or hasattr(value, "__origin__"):
        return value
    import inspect  # on demand: not all versions of NumPy import it

    return wrap(name, value) if inspect.isroutine(value) else Operation(name, value)
