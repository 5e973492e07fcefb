"""Packages that look at the type of an object are told of hassium's once they are imported.

Nothing of theirs is imported before the program does so itself: a finder waits for that.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from hassium import _json, _numba, _scipy


class Wait:
    """Stands before the other finders until all modules are imported that are to be taught."""

    def __init__(self, lessons: dict[str, Callable[[], None]]) -> None:
        self._lessons = lessons

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        teach = self._lessons.pop(name, None)
        if teach is None:
            return None
        spec = importlib.util.find_spec(name)
        loader: Any = spec and spec.loader
        if loader:
            run = loader.exec_module

            def run_and_teach(module: types.ModuleType) -> None:
                run(module)
                with contextlib.suppress(AttributeError, ImportError):  # another version inside
                    teach()

            loader.exec_module = run_and_teach
        return spec


LESSONS: dict[str, Callable[[], None]] = {
    "json.encoder": _json.teach,
    "numba": _numba.teach,
    "scipy.sparse._sputils": _scipy.teach_operands,
    "scipy.sparse.linalg._dsolve.linsolve": _scipy.teach_factorizations,
    "scipy.sparse.linalg._interface": _scipy.teach_operators,
    "scipy.spatial._qhull": _scipy.teach_hulls,
    **{name: functools.partial(_scipy.teach_question, name) for name in _scipy.ASKING},
    **{
        where: functools.partial(_scipy.teach_function, where, *names)
        for where, names in _scipy.STRICT.items()
    },
}


def prepare() -> None:
    """To be called once, when hassium is imported."""
    later = {}
    for module, teach in LESSONS.items():
        if module in sys.modules:
            with contextlib.suppress(AttributeError, ImportError):
                teach()
        else:
            later[module] = teach
    sys.meta_path.insert(0, Wait(later))
