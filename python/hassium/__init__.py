"""NumPy programs, unchanged and faster: ``import hassium as np``.

Operations are recorded when called and run when a value is needed, fused into blocks that share
loops. The namespace is NumPy's: native functions here, types and constants NumPy's own objects,
everything else a counted fallback (``hassium.stats()["fallbacks"]``).
"""

from __future__ import annotations

from hassium import _launch

_launch.launch()  # replaces the process when Python is looking for `__main__`

import atexit as _atexit
import importlib as _importlib
import os as _os
import sys as _sys
import warnings as _warnings

import numpy as _numpy

_OLDEST_NUMPY = "2.2.0"  # as pyproject.toml has it
if _numpy.lib.NumpyVersion(_numpy.__version__) < _OLDEST_NUMPY:
    raise ImportError(
        f"hassium needs NumPy {_OLDEST_NUMPY} or newer, and this is NumPy {_numpy.__version__}"
    )

from hassium import _core, _fallback, _imports, _namespace, debug, linalg, random, tools
from hassium import functions as _functions
from hassium._core import CopyWarning, flush, reset_stats, scalar, trim
from hassium._ndarray import document as _document_methods
from hassium._ndarray import ndarray, ufunc
from hassium.functions import methods as _methods
from hassium.interop import boundary as _boundary
from hassium.interop import filters as _filters

# Names that the package adds to NumPy's: each tool by its module, which is imported on first use.
_TOOLS = {
    "cache_clear": "cache",
    "cache_info": "cache",
    "config": "config",
    "doctor": "explaining",
    "explain": "explaining",
    "load_ipython_extension": "notebook",
    "stats": "statistics",
    "unload_ipython_extension": "notebook",
}
_OWN = frozenset([*_TOOLS, *"CopyWarning debug flush reset_stats scalar trim".split()])

for _name, _value in _functions.NATIVE.items():
    globals()[_name] = _namespace.public(_name, _value)
for _name, _value in _core.ufuncs.items():
    if isinstance(getattr(_numpy, _name, None), _numpy.ufunc):
        globals()[_name] = _value
del _name, _value

_fallback.complete_core()
_core.register_methods(_methods.OF_ARRAYS, _methods.OF_SCALARS)
_document_methods()
for _module in (_sys.modules[__name__], linalg, random):
    _module.__class__ = _fallback.Twin
del _module
_core.register_array_function(_namespace.array_function)


def _before_fork() -> None:
    # A forked child would wait forever for the lock of a module that another thread imports. An
    # import inside a signal handler may make an import fail.
    try:
        from hassium import _uses
    finally:
        _core.before_fork()


if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "hassium needs the GIL, which PYTHON_GIL=0 or -X gil=0 keeps off: start Python without"
    )
if _core.is_first_load():
    _imports.install()
    _boundary.prepare()
    _filters.prepare()
    _os.register_at_fork(before=_before_fork)
    _atexit.register(_core.await_background_flush)
elif not globals().pop("_is_unloaded", False):  # process-wide state exists already
    _warnings.warn(
        "The hassium module was reloaded (imported a second time). This can in some cases result "
        "in small but subtle issues. You are discouraged from doing this.",
        stacklevel=2,
    )

__version__ = _numpy.__version__  # programs test it for available functions


def _found(name: str, *numpys: object) -> object:
    if name in _OF_MODULE:  # another module that replaced this function asks for a `__path__`
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in globals():  # `__getattr__` was called for a name that needs no lookup
        return globals()[name]
    if name in _TOOLS:
        tool = getattr(_importlib.import_module(f"hassium.tools.{_TOOLS[name]}"), name)
        globals()[name] = tool
        return tool
    if not numpys:
        _namespace.refuse(name)
    value = _namespace.shown(name, numpys[0])
    if name in vars(_numpy):  # for other names NumPy must be asked each time, as it warns
        globals()[name] = value
    return value


__getattr__ = _core.lookup(_numpy, _found)


def __dir__() -> list[str]:
    return sorted(_OWN | set(dir(_numpy)))


# Excludes names of our own: `from numpy import *` would overwrite those of the program, as `stats`
# of SciPy.
__all__ = sorted(_numpy.__all__)
_OF_MODULE = frozenset(name for name in globals() if name.startswith("__"))
# Folders of the implementation, set as attributes by the first import, are not names of NumPy's.
for _name in ("annotations", "functions", "interop", "tools"):
    globals().pop(_name, None)
del _name
