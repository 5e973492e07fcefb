"""Numba compiles code by the identity of NumPy's modules, functions and arrays.

A program's ``np.zeros`` is hassium's, so numba gets NumPy's counterpart; an array argument is
passed as NumPy's view of its memory.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy

from hassium import _core


def of_numpy(value: Any) -> Any:
    """Returns NumPy's module or function for a twin of ours; anything else unchanged."""
    if isinstance(value, types.ModuleType):
        place = value.__name__
    elif callable(value):
        place = f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"
    else:
        return value
    first, *parts = place.split(".")
    if first != "hassium":
        return value
    found: Any = numpy
    for part in parts:
        found = getattr(found, part, None)
    return value if found is None else found


def apply() -> None:
    """Makes numba treat hassium's names and arrays as NumPy's."""
    numba: Any = importlib.import_module("numba.core")
    for name in ("boxing", "pythonapi", "typing.context", "typing.typeof"):
        importlib.import_module(f"numba.core.{name}")
    array, unboxers = numba.types.Array, numba.pythonapi._unboxers.functions
    type_of = numba.typing.typeof.typeof_impl
    contexts = numba.typing.context.BaseContext
    type_of_global, unbox = contexts._get_global_type, unboxers[array]

    def global_type(self: Any, value: Any) -> Any:
        return type_of_global(self, of_numpy(value))

    def array_type(value: Any, context: Any) -> Any:
        return type_of(numpy.asarray(value), context)

    def unbox_array(kind: Any, value: Any, context: Any) -> Any:
        api = context.pyapi
        view = api.unserialize(api.serialize_object(numpy.asarray))
        exported = api.call_function_objargs(view, (value,))
        native = unbox(kind, exported, context)  # keeps the memory alive from here on
        api.decref(exported)
        api.decref(view)
        return native

    contexts._get_global_type = global_type
    type_of.register(_core.ndarray)(array_type)
    unboxers[array] = unbox_array
