"""How ``hassium.NAME`` is found: native functions first, then NumPy's own objects, then fallbacks.

Types, constants and context managers are NumPy's own objects. Functions without a native form are
wrapped as counted fallbacks the first time they are asked for, so importing hassium costs little
and nothing in NumPy's public namespace is missing.
"""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core, _fallback

# Functions that compute nothing on array data, or set NumPy's own state: used as they are.
OWN_OBJECTS = frozenset(
    "errstate seterr geterr seterrcall geterrcall setbufsize getbufsize printoptions "
    "get_printoptions set_printoptions finfo iinfo dtype promote_types min_scalar_type "
    "issubdtype isdtype typename show_config show_runtime get_include info format_float_positional "
    "format_float_scientific base_repr binary_repr broadcast_shapes test nested_iters "
    "mintypecode isscalar".split()
)


def lookup(name: str) -> Any:
    """The object for a name of NumPy's namespace that has no native form.

    Raises AttributeError as NumPy does for a name it lacks.
    """
    try:
        value = getattr(numpy, name)
    except AttributeError as error:
        raise AttributeError(f"module 'hassium' has no attribute {name!r}") from error
    if name in OWN_OBJECTS:
        return value
    return _fallback.wrap_value(name, value)


def array_function(
    function: Any, types_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`numpy.FUNCTION(hassium array)`: hassium's function of that name, or a fallback."""
    import hassium

    for kind in types_:
        if kind not in (_core.ndarray, _core.scalar) and not issubclass(kind, numpy.ndarray):
            return NotImplemented
    module = function.__module__ or "numpy"
    holder: Any = hassium
    path = module.split(".")[1:]
    for part in path:
        if part.startswith("_"):
            break
        holder = getattr(holder, part)
    own = getattr(holder, function.__name__, None)
    if own is None or own is function:
        return _fallback.call(function.__name__, function, args, kwargs)
    return own(*args, **kwargs)
