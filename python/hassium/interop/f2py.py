"""What f2py made of Fortran is called with NumPy's arrays.

Arguments that it overwrites and does not return it copies first, but of NumPy's arrays alone: in
others it writes into the memory of the caller. Its modules are known by a name in them, whoever
wrote them: BLAS and LAPACK of SciPy's are two.
"""

from __future__ import annotations

import functools
import importlib.machinery
import sys
import types
from typing import Any

from hassium.interop.exports import exported

MARK = "__f2py_numpy_version__"


class Routine:
    """A routine of f2py's, or a Fortran module with routines and data, with exported memory."""

    def __init__(self, routine: Any) -> None:
        object.__setattr__(self, "_routine", routine)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the routine."""
        named = {name: exported(value) for name, value in kwargs.items()}
        return self._routine(*map(exported, args), **named)

    def __getattr__(self, name: str) -> Any:
        return _with_exports(getattr(self._routine, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._routine, name, exported(value))

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._routine.__doc__  # type: ignore[no-any-return]

    def __dir__(self) -> list[str]:
        return dir(self._routine)

    def __repr__(self) -> str:
        return repr(self._routine)


def _with_exports(value: Any) -> Any:
    return Routine(value) if type(value).__name__ == "fortran" else value


def _names(module: Any) -> dict[str, Any]:
    """Those in a module, which is not asked: it may be one that loads itself when it is."""
    try:
        return object.__getattribute__(module, "__dict__")  # type: ignore[no-any-return]
    except AttributeError:
        return {}


def teach(module: types.ModuleType) -> None:
    """Has the routines of a module of f2py's called with exported memory, wherever they are."""
    routines = {
        id(value): Routine(value)
        for value in vars(module).values()
        if type(value).__name__ == "fortran"
    }
    package = module.__name__.partition(".")[0]
    for other, loaded in list(sys.modules.items()):
        if other.partition(".")[0] == package or loaded is module:
            names = _names(loaded)
            for name in [name for name, value in names.items() if id(value) in routines]:
                names[name] = routines[id(names[name])]


def prepare() -> None:
    """To be called once: for the modules that are there, and those that will be."""
    for module in list(sys.modules.values()):
        if MARK in _names(module):
            teach(module)
    loader = importlib.machinery.ExtensionFileLoader
    run = loader.exec_module

    @functools.wraps(run)
    def run_and_teach(self: Any, module: types.ModuleType) -> None:
        run(self, module)
        if MARK in vars(module):
            teach(module)

    loader.exec_module = run_and_teach  # type: ignore[method-assign]
