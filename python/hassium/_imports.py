"""``import hassium.fft``: NumPy's submodules under hassium's name, for the import statement.

``_namespace.shown`` finds them as attributes; a finder gives the import statement the same twins.
The package's files of these names state the types, for type checkers, and are never run.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import Any

# The package's own modules with the names of NumPy's.
OWN = frozenset(("_core", "linalg", "random"))


class Submodules:  # the base classes would load the standard library's archives and random numbers
    """Finds and loads the twin of each module in NumPy's package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != "hassium" or not rest or rest in OWN:
            return None
        first = rest.partition(".")[0]  # `find_spec` raises an error for a missing parent
        if importlib.util.find_spec(f"numpy.{first}") is None:
            return None
        found = importlib.util.find_spec(f"numpy.{rest}")
        if found is None:
            return None
        loader: Any = self
        has_parts = found.submodule_search_locations is not None
        return importlib.machinery.ModuleSpec(name, loader, is_package=has_parts)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        parent, _, last = spec.name.rpartition(".")
        # Some of NumPy's packages have a module as an attribute only after it has been imported.
        importlib.import_module("numpy" + spec.name.removeprefix("hassium"))
        twin: types.ModuleType = getattr(sys.modules[parent], last)
        return twin

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: a twin looks names up on demand."""


def install() -> None:
    """Installs the finder, before those that would find the package's files."""
    sys.meta_path.insert(0, Submodules())
