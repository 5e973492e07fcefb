"""How ``hassium.NAME`` is found: native functions first, then NumPy's own objects, then fallbacks.

Native functions are called through dispatchers, which leave calls with array subclasses and foreign
objects to NumPy; within the package they are called directly. Types, constants and context managers
are NumPy's own objects. Functions without a native form are wrapped as counted fallbacks on first
use, so importing hassium costs little and nothing in NumPy's public namespace is missing.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy

from hassium import _core, _fallback

# Functions that compute nothing on array data, or that set NumPy's own state: used unchanged.
OWN_OBJECTS = frozenset(
    "errstate seterr geterr seterrcall geterrcall setbufsize getbufsize printoptions "
    "get_printoptions set_printoptions finfo iinfo dtype promote_types min_scalar_type "
    "issubdtype isdtype typename show_config show_runtime get_include info format_float_positional "
    "format_float_scientific base_repr binary_repr broadcast_shapes test nested_iters "
    "mintypecode isscalar iterable".split()
)


# Functions that are an array method in C, and how many positional arguments, the array included,
# mean the same to both.
_METHODS = {
    **dict.fromkeys(("sum", "prod", "max", "min"), 5),
    **dict.fromkeys(("any", "all", "cumsum", "cumprod", "diagonal"), 4),
    **dict.fromkeys(("argmax", "argmin", "swapaxes"), 3),
    **dict.fromkeys(("ravel", "reshape", "squeeze", "transpose"), 2),
}

# Before NumPy 2.4 the function takes None for no shape, which the method does not.
_SHAPE_MAY_BE_MISSING = None in _fallback.behind_dispatcher(numpy.reshape).__defaults__

# Methods whose keywords differ from the function's.
_BY_POSITION = frozenset(("reshape", "swapaxes", "transpose"))

# Functions implemented in C for plain array arguments: a call from Python costs half as much as a
# small product, and loops over such products are common.
_IN_C: dict[str, Callable[..., Any]] = {
    "argsort": _core.routine("argsort"),
    "bincount": _core.bincount,
    "convolve": _core.convolve,
    "correlate": _core.correlate,
    "count_nonzero": _core.count_nonzero,
    "dot": _core.dot,
    "einsum": _core.einsum,
    "inner": _core.inner,
    "linalg.norm": _core.norm,
    "mean": _core.mean,
    "nonzero": _core.nonzero,
    "put": _core.put,
    "putmask": _core.putmask,
    "searchsorted": _core.routine("searchsorted", 1),
    "vdot": _core.vdot,
    "where": _core.nonzero,  # of a condition alone
}


@functools.cache  # an alias is the same object
def _dispatcher(native: Callable[..., Any], numpys: Callable[..., Any], module: str) -> Any:
    name = numpys.__name__
    label = f"{module}.{name}".removeprefix("hassium.")
    own = native.__name__ if module == "hassium" else ""
    by_position = own in _BY_POSITION
    most = _METHODS.get(own, 0)
    if own == "reshape" and _SHAPE_MAY_BE_MISSING:
        most = 0
    made = _core.dispatcher(native, numpys, label, most, _IN_C.get(label), by_position)
    # Pickle looks it up there.
    return _named(made, native, numpys, module, name)


def _line(native: Any, documentation: str | None) -> str:
    """Returns the line about a native function: the first paragraph of its own docstring."""
    text = native.__doc__ or ""
    if text == documentation:
        return "native."
    return " ".join(["native.", *text.partition("\n\n")[0].split()])


def _named(made: Any, native: Any, numpys: Any, module: str, name: str, line: str = "") -> Any:
    documentation = numpys.__doc__
    line = line or _line(native, documentation)
    functools.update_wrapper(made, native)
    _fallback.describe(made, numpys)
    made.__doc__ = _fallback.documented(documentation, line)
    made.__module__, made.__name__ = module, name.rpartition(".")[2]
    made.__qualname__ = name
    return made


def method(name: str, native: Callable[..., Any] | None, numpys: Callable[..., Any]) -> Any:
    """Returns an array method as the array type has it: written in Python, or NumPy's, counted."""
    in_c, shown = _IN_C.get(name), getattr(numpy.ndarray, name)
    name = f"ndarray.{name}"
    made = _core.dispatcher(native, numpys, name, 0, in_c)
    line = "" if native else _fallback.AS_NUMPYS
    return _named(made, native or numpys, shown, "hassium", name, line)


def public(name: str, native: Callable[..., Any], numpys: types.ModuleType = numpy) -> Any:
    """Returns the native function `name` of a NumPy module as users see it."""
    original = getattr(numpys, name, None)
    # C functions that create arrays handle `like` themselves, and accept nothing else that is
    # foreign.
    in_c = isinstance(native, types.BuiltinFunctionType)
    if original is None or (in_c and isinstance(original, types.BuiltinFunctionType)):
        return native
    return _dispatcher(native, original, numpys.__name__.replace("numpy", "hassium"))


def refuse(name: str) -> NoReturn:
    """Raises AttributeError as NumPy does for a name it lacks."""
    try:
        getattr(numpy, name)
    except AttributeError as error:
        text = str(error).replace("module 'numpy'", "module 'hassium'")  # or what to use instead
        raise AttributeError(text, name=error.name, obj=error.obj) from None
    raise AssertionError(f"numpy has {name!r}")


def shown(name: str, value: Any) -> Any:
    """Returns the object for a name without a native form; `value` is NumPy's object."""
    if name in OWN_OBJECTS:
        return value
    from hassium.functions.objects import OBJECTS  # on demand: import stays cheap

    if name in OBJECTS:
        return OBJECTS[name]
    if name == "fft":
        from hassium.functions import transforms

        return transforms.module()
    if name == "testing":
        from hassium.interop import filters

        filters.prepare_suppressions(value)
    return _fallback.wrap_value(name, value)


# NumPy's functions that `array_function` has redirected and that have not returned.
_given: ContextVar[frozenset[Any]] = ContextVar("_given", default=frozenset())


def array_function(
    function: Any, types_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`numpy.FUNCTION(hassium array)`: calls hassium's function of that name, or a fallback.

    If other array types take part both end in NumPy's function on exported memory: those types know
    NumPy's arrays, and may have rejected ours. A container that only NumPy unpacks, as a deque,
    brings the call back here with its arrays: then NumPy's implementation runs.
    """
    import hassium

    given = _given.get()
    if function in given:
        done = getattr(function, "_implementation", function)
        return _fallback.call(function.__name__, done, args, kwargs)

    package, *path = (function.__module__ or "numpy").split(".")
    holder: Any = hassium if package == "numpy" else None  # other packages have such functions too
    for part in path if holder else ():
        if part.startswith("_"):
            break
        holder = getattr(holder, part)
    own = getattr(holder, function.__name__, None)
    token = _given.set(given | {function})
    try:
        if own is None or own is function:
            return _fallback.call(function.__name__, function, args, kwargs)
        return own(*args, **kwargs)
    finally:
        _given.reset(token)
