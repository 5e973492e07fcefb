"""``import hassium.fft``: NumPy's submodules under hassium's name, for the import statement.

As attributes they are found by ``_namespace.shown``; a finder gives the import statement the same
twins. The package's own modules come first. Its folders that hold nothing but type stubs are no
modules: the finder stands before Python's, which would take them for namespace packages.
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
    """Finds the twin of each module that lies in NumPy's package, and loads it."""

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
        # Some of NumPy's packages have a module as an attribute only once it was imported.
        importlib.import_module("numpy" + spec.name.removeprefix("hassium"))
        twin: types.ModuleType = getattr(sys.modules[parent], last)
        return twin

    def exec_module(self, module: types.ModuleType) -> None:
        """A twin is complete: it looks names up when they are asked for."""


def install() -> None:
    """Sets the finder up, behind those of installers that know where a package's files are."""
    own = importlib.machinery.PathFinder
    found = sys.meta_path
    found.insert(found.index(own) if own in found else len(found), Submodules())
