"""The boundary to other packages: by rule, not by a list of their modules.

hassium's arrays have NumPy's protocols, so most code accepts them. Other code tests for NumPy's
type. Two rules cover such code in any package, imported before or after hassium:

1. Python code of installed packages: ``isinstance(a, numpy.ndarray)`` is true there of hassium's
   arrays, and ``issubclass`` of their type. A module gets its own functions of these names if its
   file mentions NumPy and one of them. The program's own files keep Python's.
2. Compiled code outside the standard library: functions of extension modules, and methods of the
   classes in them, are called with NumPy's views of hassium's arrays (`_core.exporting`). A result
   that is such a view is converted back to the array.

`exceptions` lists the packages that need less or more.
"""

from __future__ import annotations

import builtins
import functools
import importlib.machinery
import os
import site
import sys
import types
from typing import Any

from hassium import _core
from hassium.interop import exceptions

# Kinds of C functions, and whether one in a class becomes a method.
_KINDS = {types.BuiltinFunctionType: False, types.MethodDescriptorType: True}
# The same by name: each module built by Cython, f2py or nanobind may have types of its own.
_NAMED_KINDS = {
    "cython_function_or_method": True,
    "fortran": False,
    "fused_cython_function": True,
    "nb_func": False,
    "nb_method": True,
}


def _beginnings(*paths: str) -> tuple[str, ...]:
    """Returns folders as prefixes of the paths in them."""
    return tuple(path + os.sep for path in {*paths, *map(os.path.realpath, paths)})


# Folders of installed packages, and of the standard library, which may contain the former.
_SITE = _beginnings(*site.getsitepackages(), site.getusersitepackages())
_LIBRARY = _beginnings(os.path.dirname(os.__file__))


# ---- class tests in Python code


def _tests_classes(data: bytes) -> bool:
    """Returns whether a source or compiled file mentions NumPy and a class test."""
    return b"numpy" in data and (b"isinstance" in data or b"issubclass" in data)


def _replace_tests(module: types.ModuleType) -> None:
    names = vars(module)
    names.setdefault("isinstance", _core.isinstance)
    names.setdefault("issubclass", _core.issubclass)


def _watch_sources() -> None:
    """Replaces the tests of Python modules imported from here on, before they run."""
    loader: Any = importlib.machinery.SourceFileLoader.__mro__[1]
    read = loader.get_data

    @functools.wraps(read)
    def get_data(self: Any, path: str) -> Any:
        data = read(self, path)
        module = sys.modules.get(self.name)
        if (
            module is not None
            and path.endswith((".py", ".pyc"))
            and self.path.startswith(_SITE)
            and exceptions.follows_rules(self.name)
            and _tests_classes(data)
        ):
            _replace_tests(module)
        return data

    loader.get_data = get_data


# ---- functions in compiled code


def _exporting(value: Any) -> Any:
    """Returns a C function that is called with exported memory, or None if `value` is none."""
    kind = type(value)
    binds = _KINDS.get(kind)
    if binds is None:
        binds = _NAMED_KINDS.get(kind.__name__)
    return None if binds is None else _core.exporting(value, binds)


def _export_methods(kind: type) -> None:
    for name, value in list(vars(kind).items()):
        holder = type(value) if isinstance(value, (staticmethod, classmethod)) else None
        function = value.__func__ if holder else value
        if name[:2] == "__" and type(function) in _KINDS:
            continue  # for pickling and the like
        wrapper = _exporting(function)
        if wrapper is not None:
            _core.put_in_class(kind, name, holder(wrapper) if holder else wrapper)


def _names(module: Any) -> dict[str, Any]:
    """Returns the names in a module, without `getattr`: a lazy module would load itself."""
    try:
        return object.__getattribute__(module, "__dict__")  # type: ignore[no-any-return]
    except AttributeError:
        return {}


# Types without a name in `builtins`, such as those of frames, of which debuggers keep some.
_OF_PYTHON = tuple(kind for kind in vars(types).values() if isinstance(kind, type))


def _is_of(value: Any, module: str) -> bool:
    """Returns whether a function or class comes from the module's own package."""
    home = getattr(value, "__module__", None)
    if not isinstance(home, str):  # C code may set any value, and mostly sets none
        return True
    if home == "builtins":  # or a class in C whose name has no module
        pythons = hasattr(builtins, value.__name__) or any(value is kind for kind in _OF_PYTHON)
        return not pythons
    package, last = module.partition(".")[0], module.rpartition(".")[2]
    return home == last or home.partition(".")[0] == package


def export_functions(module: types.ModuleType) -> dict[int, tuple[Any, Any]]:
    """Has a module's functions called with exported memory; returns both forms of each by id."""
    replaced = {}
    names, own = _names(module), module.__name__
    for name, value in list(names.items()):
        if isinstance(value, type):
            if _is_of(value, own):
                _export_methods(value)
        elif type(value) is types.ModuleType:
            if value.__name__.startswith(f"{own}.") and "__file__" not in vars(value):
                replaced.update(export_functions(value))
        else:
            wrapper = _exporting(value)
            if wrapper is not None and _is_of(value, own):
                names[name] = wrapper
                replaced[id(value)] = value, wrapper
    return replaced


def _is_compiled(module: Any) -> bool:
    """Returns whether the second rule applies to a module."""
    file = _names(module).get("__file__")
    return (
        isinstance(file, str)
        and file.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))
        and (file.startswith(_SITE) or not file.startswith(_LIBRARY))
        and exceptions.follows_rules(module.__name__)
    )


def _watch_extensions() -> None:
    """Applies the second rule to extension modules imported from here on, after they have run."""
    loader: Any = importlib.machinery.ExtensionFileLoader
    run = loader.exec_module

    @functools.wraps(run)
    def exec_module(self: Any, module: types.ModuleType) -> None:
        run(self, module)
        if _is_compiled(module):
            export_functions(module)

    loader.exec_module = exec_module


# ---- modules imported earlier


def _mentions_numpy(module: types.ModuleType) -> bool:
    names = _names(module)
    file = names.get("__cached__") or names.get("__file__")
    if not isinstance(file, str) or not str(names.get("__file__")).startswith(_SITE):
        return False
    try:
        with open(file, "rb") as stream:
            return file.endswith((".py", ".pyc")) and _tests_classes(stream.read())
    except OSError:
        return False


def _catch_up() -> None:
    replaced: dict[int, tuple[Any, Any]] = {}
    modules = list(sys.modules.items())
    for name, module in modules:
        if isinstance(module, types.ModuleType) and exceptions.follows_rules(name):
            if _is_compiled(module):
                replaced.update(export_functions(module))
            elif _mentions_numpy(module):
                _replace_tests(module)
    for _, module in modules if replaced else ():  # modules that imported the functions
        names = _names(module)
        for name, value in list(names.items()):
            if id(value) in replaced:
                names[name] = replaced[id(value)][1]


def prepare() -> None:
    """Applies the rules; called once, when hassium is imported."""
    _catch_up()
    _watch_sources()
    _watch_extensions()
    sys.meta_path.insert(0, exceptions.Finder())
