"""Packages that look at the type of an object are told of hassium's once they are imported.

Nothing of theirs is imported before the program does so itself: a finder waits for that.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from hassium import _json, _numba


class Wait:
    """Stands before the other finders until a module is imported, which is taught then."""

    def __init__(self, module: str, teach: Callable[[], None]) -> None:
        self._module = module
        self._teach = teach

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        loader: Any = spec and spec.loader
        if loader:
            run = loader.exec_module

            def run_and_teach(module: types.ModuleType) -> None:
                run(module)
                with contextlib.suppress(AttributeError, ImportError):  # another version inside
                    self._teach()

            loader.exec_module = run_and_teach
        return spec


def prepare() -> None:
    """To be called once, when hassium is imported."""
    for module, teach in (("numba", _numba.teach), ("json.encoder", _json.teach)):
        if module in sys.modules:
            teach()
        else:
            sys.meta_path.insert(0, Wait(module, teach))
