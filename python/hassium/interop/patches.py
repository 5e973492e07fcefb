"""Packages that look at the type of an object are told of hassium's once they are imported.

Nothing of theirs is imported before the program does so itself: a finder waits for that. Nor is
what there is to tell them.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

# Of packages, what holds the lessons for their modules.
TEACHERS = {
    "astropy": "hassium.interop.packages",
    "h5py": "hassium.interop.packages",
    "jax": "hassium.interop.jax",
    "json": "hassium.interop.json",
    "multiprocessing": "hassium.interop.multiprocessing",
    "numba": "hassium.interop.numba",
    "numpy.ma": "hassium.interop.numpy_modules",
    "numpy.polynomial": "hassium.interop.numpy_modules",
    "numpy.testing": "hassium.interop.numpy_modules",
    "pandas": "hassium.interop.pandas",
    "scipy": "hassium.interop.scipy",
    "skimage": "hassium.interop.packages",
    "sklearn": "hassium.interop.sklearn",
    "threadpoolctl": "hassium.interop.threadpoolctl",
}


class Wait:
    """Stands before the other finders until all modules are imported that are to be taught."""

    def __init__(self) -> None:
        self._teachers = dict(TEACHERS)
        self._lessons: dict[str, Callable[[], None]] = {}

    def call(self, package: str) -> None:
        """Teaches those modules of a package that are there; the others when they come."""
        teacher = self._teachers.get(package)
        if teacher is None:
            return
        self._teachers = {p: other for p, other in self._teachers.items() if other != teacher}
        for module, teach in importlib.import_module(teacher).LESSONS.items():
            if module in sys.modules:
                with contextlib.suppress(AttributeError, ImportError):
                    teach()
            else:
                self._lessons[module] = teach

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        self.call(name)
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


def prepare() -> None:
    """To be called once, when hassium is imported."""
    wait = Wait()
    for package in TEACHERS.keys() & sys.modules.keys():
        wait.call(package)
    sys.meta_path.insert(0, wait)
