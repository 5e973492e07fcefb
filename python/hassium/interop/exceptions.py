"""The table of exceptions to the rules of `boundary`, and its interpreter.

A row names a module and what to do once it has been imported. Nothing of a package is imported
before the program imports it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import importlib.util
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy

from hassium import _core

# Modules to which the rules do not apply, with their submodules; then the exceptions to that.
# torch, jaxlib, llvmlite and numba find functions by identity. NumPy gets exported memory. dask
# distinguishes the arrays of its backends there.
EXCLUDED = frozenset(
    ("dask.array.backends", "hassium", "jaxlib", "llvmlite", "numba", "numpy", "torch")
)
INCLUDED = frozenset(
    ("numpy.ctypeslib", "numpy.ma", "numpy.polynomial", "numpy.testing", "torch.utils.data")
)

# Functions and methods that test for NumPy's type by means that the rules do not cover.
CALLABLES: dict[str, tuple[str, ...]] = {
    "numpy.ma.core": ("MaskedArray.cumprod", "MaskedArray.cumsum", "MaskedArray.round"),
    "numpy.random._generator": ("Generator.permuted",),  # for `out`
    "numexpr.necompiler": ("evaluate", "re_evaluate"),  # keep `out` for a call of a C object
    # Where pandas receives values: blocks and indexes keep them, and create C objects of them.
    "pandas.core.indexes.base": ("Index._simple_new",),
    "pandas.core.internals.blocks": ("new_block", "new_block_2d"),
    # Since SciPy 1.18 operators keep the array, whose products compiled code takes for NumPy's.
    "scipy.linalg.interpolative": ("estimate_spectral_norm", "estimate_spectral_norm_diff"),
    "scipy.spatial.distance": ("pdist",),  # converts `out` to NumPy's array, and returns that
    "torch": ("as_tensor", "asarray", "from_numpy", "tensor"),
    "torch._tensor": ("Tensor.__eq__",),  # returns False for an array it does not know
}

# Mappings by type: NumPy's entry is called with NumPy's view of a hassium array.
REGISTRIES: dict[str, tuple[str, ...]] = {
    "autograd.numpy.numpy_boxes": ("Box.type_mappings",),
    "autograd.numpy.numpy_vspaces": ("VSpace.mappings",),
}

# Modules of this package with the patches for a module.
PATCHES = {
    "dask.array.backends": "hassium.interop.dask",
    "distributed.protocol.serialize": "hassium.interop.distributed",
    "jax._src.interpreters.pxla": "hassium.interop.jax",
    "multiprocessing.util": "hassium.interop.multiprocessing",
    "numba": "hassium.interop.numba",
    "numpy.random": "hassium.interop.numpy_random",
    "threadpoolctl": "hassium.interop.threadpoolctl",
}


def follows_rules(name: str) -> bool:
    """Returns whether the rules apply to the module of that name."""
    while name:
        if name in INCLUDED or name in EXCLUDED:
            return name in INCLUDED
        name = name.rpartition(".")[0]
    return True


def _export_callable(module: types.ModuleType, path: str) -> None:
    holder, _, name = path.rpartition(".")
    place = operator.attrgetter(holder)(module) if holder else module
    import inspect  # on demand: not all versions of NumPy import it

    member = inspect.getattr_static(place, name)
    kind = type(member) if isinstance(member, (staticmethod, classmethod)) else None
    function = member.__func__ if kind else member
    made = _core.exporting(function, isinstance(place, type))
    value = kind(made) if kind else made
    if isinstance(place, type):
        _core.put_in_class(place, name, value)
    else:
        setattr(place, name, value)


def _extend_registry(module: types.ModuleType, path: str) -> None:
    registry = operator.attrgetter(path)(module)
    make = registry[numpy.ndarray]
    registry[_core.ndarray] = lambda value, *rest: make(numpy.asarray(value), *rest)


def apply(name: str, module: types.ModuleType) -> None:
    """Applies the rows for a module that has been imported."""
    with contextlib.suppress(AttributeError, ImportError, KeyError):  # another version
        for path in CALLABLES.get(name, ()):
            _export_callable(module, path)
        for path in REGISTRIES.get(name, ()):
            _extend_registry(module, path)
        if name in PATCHES:
            importlib.import_module(PATCHES[name]).apply()


class Finder:
    """A finder before all others, which applies the rows for a module after it has run."""

    def __init__(self) -> None:
        self._awaited = CALLABLES.keys() | REGISTRIES.keys() | PATCHES.keys()
        for name in self._awaited & sys.modules.keys():
            self._awaited.remove(name)
            apply(name, sys.modules[name])

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self._awaited:
            return None
        self._awaited.remove(name)  # so that the other finders are asked
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._awaited.add(name)  # a program may only ask whether the module exists
        loader: Any = spec and spec.loader
        if loader:
            run = loader.exec_module

            @functools.wraps(run)
            def run_and_apply(module: types.ModuleType) -> None:
                run(module)
                self._awaited.discard(name)
                apply(name, module)

            loader.exec_module = run_and_apply
        return spec
