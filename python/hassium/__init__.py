"""NumPy programs, unchanged and faster: ``import hassium as np``.

Operations are recorded when called and run when a value is needed, fused into blocks that share
loops. The namespace is NumPy's: native functions here, types and constants NumPy's own objects,
everything else a counted fallback (``hassium.stats()["fallbacks"]``).
"""

from __future__ import annotations

import atexit as _atexit
import os as _os
import sys as _sys
from typing import Any

import numpy

from hassium import _core, _fallback, _imports, _namespace, debug, linalg, random
from hassium._core import flush, reset_stats, scalar, stats
from hassium._ndarray import ndarray, ufunc
from hassium.functions import (
    calculus,
    comparisons,
    copying,
    creation,
    dtype_predicates,
    editing,
    elementwise,
    histograms,
    indexing,
    joining,
    manipulation,
    methods,
    moments,
    nans,
    padding,
    products,
    reductions,
    searching,
    statistics,
)
from hassium.interop import f2py, patches
from hassium.tools.cache import cache_clear, cache_info
from hassium.tools.config import config
from hassium.tools.explaining import explain

for _module in (
    calculus, comparisons, copying, creation, editing, elementwise, histograms, indexing, joining,
    dtype_predicates, manipulation, moments, nans, padding, products, reductions, searching,
    statistics,
):  # fmt: skip
    for _name in _module.__all__:
        globals()[_name] = _namespace.public(_name, getattr(_module, _name))
for _name in linalg.NATIVE:
    setattr(linalg, _name, _namespace.public(_name, getattr(linalg, _name), numpy.linalg))
for _name, _value in _core.ufuncs.items():
    if isinstance(getattr(numpy, _name, None), numpy.ufunc):
        globals()[_name] = _value
del _module, _name, _value

_core.register_methods(methods.OF_ARRAYS, methods.OF_SCALARS)
_sys.meta_path.append(_imports.Submodules())
f2py.prepare()
patches.prepare()
for _module in (_sys.modules[__name__], linalg, random):
    _module.__class__ = _fallback.Twin
del _module
_core.register_array_function(_namespace.array_function)
_os.register_at_fork(
    before=_core.before_fork,
    after_in_parent=_core.after_fork_parent,
    after_in_child=_core.after_fork_child,
)
_atexit.register(_core.stop_background)

__version__ = numpy.__version__  # programs ask which functions there are


def _found(name: str, *numpys: Any) -> Any:
    if name in _OF_MODULE:  # another module that took this function over asks for a `__path__`
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not numpys:
        return _namespace.refuse(name)
    value = _namespace.shown(name, numpys[0])
    if name in vars(numpy):  # else NumPy wants to be asked each time, as it warns
        globals()[name] = value
    return value


__getattr__ = _core.lookup(numpy, _found)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(dir(numpy)))


# Names of our own stay out: `from numpy import *` would put them over those of the program, as
# `stats` over SciPy's.
__all__ = sorted(numpy.__all__)
_OF_MODULE = frozenset(name for name in globals() if name.startswith("__"))
