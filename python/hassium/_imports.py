"""``import hassium.fft``: NumPy's submodules under hassium's name, for the import statement.

``_namespace.shown`` finds them as attributes; a finder gives the import statement the same twins.
The package's own modules come first. Its folders with nothing but type stubs are not modules: the
finder precedes Python's, which would take them for namespace packages.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import Any


class Submodules:  # the base classes would load the standard library's archives and random numbers
    """Finds and loads the twin of each module in NumPy's package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        own, _, rest = name.partition(".")
        if own != "hassium" or not rest:
            return None
        ours = importlib.machinery.PathFinder.find_spec(name, path, target)
        if ours is not None and ours.loader is not None:
            return ours
        found = importlib.util.find_spec(f"numpy.{rest}")
        if found is None:
            return None
        loader: Any = self
        package = found.submodule_search_locations is not None
        return importlib.machinery.ModuleSpec(name, loader, is_package=package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        parent, _, last = spec.name.rpartition(".")
        # Some of NumPy's packages have a module as an attribute only after it has been imported.
        importlib.import_module("numpy" + spec.name.removeprefix("hassium"))
        twin: types.ModuleType = getattr(sys.modules[parent], last)
        return twin

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: a twin looks names up on demand."""


def install() -> None:
    """Installs the finder, behind those of editable installs."""
    own = importlib.machinery.PathFinder
    found = sys.meta_path
    found.insert(found.index(own) if own in found else len(found), Submodules())
