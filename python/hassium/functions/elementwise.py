"""Element-wise functions that are not ufuncs in NumPy, and products of vectors and matrices."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import as_view, asarray
from hassium.functions import indexing

_U = _core.ufuncs
_NO = numpy._NoValue
_NUMBERS = (int, float, complex)
_INTS = 2**31  # C ints from here on wrap to negative numbers

__all__ = [
    "angle",
    "around",
    "astype",
    "clip",
    "dot",
    "fix",
    "imag",
    "inner",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "outer",
    "real",
    "round",
    "select",
    "sinc",
    "vdot",
    "where",
]


def where(condition: Any, x: Any = _NO, y: Any = _NO, /) -> Any:
    """Returns elements of `x` where `condition` holds, else of `y`; alone, the true indices."""
    if x is _NO and y is _NO:
        return indexing.nonzero(condition)
    if x is _NO or y is _NO:
        raise ValueError("either both or neither of x and y should be given")
    condition = asarray(condition)
    if condition.dtype is not indexing.BOOL:
        condition = condition.astype(bool)
    try:
        result = _U["where"](condition, x, y)
    except OverflowError:
        return NotImplemented  # NumPy refuses the integer, or before 2.5 wraps it around
    return asarray(result)  # an array even without axes


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Returns elements of the first choice whose condition holds, or else the default."""
    given = (condlist, choicelist, default)
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [_fallback.own_array(condition) for condition in condlist]
    choices = [
        x if type(x) in (int, float, complex) else _fallback.own_array(x)
        for x in (*choicelist, default)
    ]
    if any(x is None for x in (*conditions, *choices)):
        return _fallback.call("select", numpy.select, given, {})
    dtype = numpy.result_type(*[getattr(x, "dtype", x) for x in choices])
    # NumPy casts Python's numbers through their own dtypes, which matters for integers only.
    whole = [x for x in choices if type(x) is int]
    odd = dtype.kind in "iu" and whole and dtype.char != "l"
    if odd or not all(-(2**63) <= x < 2**63 for x in whole):
        return _fallback.call("select", numpy.select, given, {})
    for k, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    cast = [x.astype(dtype, copy=False) if hasattr(x, "astype") else dtype.type(x) for x in choices]
    found = cast.pop()
    for condition, choice in zip(reversed(conditions), reversed(cast), strict=True):
        found = _U["where"](condition, choice, found)
    found = asarray(found)
    # NumPy fills a C-ordered array; which later results are views of it depends on that.
    return found if found.flags.c_contiguous else found.copy()


def clip(
    a: Any,
    a_min: Any = _NO,
    a_max: Any = _NO,
    out: Any = None,
    *,
    min: Any = _NO,
    max: Any = _NO,
    **kwargs: Any,
) -> Any:
    """Returns values limited to an interval."""
    if a_min is _NO and a_max is _NO:
        a_min, a_max = None if min is _NO else min, None if max is _NO else max
    elif a_min is _NO or a_max is _NO:
        missing = "a_min" if a_min is _NO else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: {missing!r}")
    elif min is not _NO or max is not _NO:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided "
            "is forbidden."
        )
    if type(a) in _NUMBERS:  # NumPy converts it to an array, whose dtype promotes with the limits
        a = asarray(a)
    if type(a_min) is int or type(a_max) is int:
        a = a if hasattr(a, "dtype") else asarray(a)
        if isinstance(a.dtype, numpy.dtype) and a.dtype.kind in "iu":  # it may be beyond the dtype
            range_ = numpy.iinfo(a.dtype)
            a_min = None if type(a_min) is int and a_min <= range_.min else a_min
            a_max = None if type(a_max) is int and a_max >= range_.max else a_max
    if a_min is None and a_max is None:
        return _U["positive"](a, out=out, **kwargs)
    if a_min is None:
        return _U["minimum"](a, a_max, out=out, **kwargs)
    if a_max is None:
        return _U["maximum"](a, a_min, out=out, **kwargs)
    return _U["clip"](a, a_min, a_max, out=out, **kwargs)


# Before NumPy 2.3 whole numbers of an array are the array itself.
_WHOLE = numpy.arange(1)
_ROUND_COPIES = numpy.round(_WHOLE) is not _WHOLE


def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Returns values rounded half to even at `decimals`, bit-identical to NumPy."""
    x = _fallback.own_array(a)
    if x is None:
        return NotImplemented
    given, a, decimals = a, x, operator.index(decimals)
    if not -_INTS <= decimals < _INTS:
        raise OverflowError("decimals do not fit an integer of 32 bits")
    if getattr(out, "size", a.size) != a.size:
        raise ValueError("invalid output shape")
    if a.dtype.kind in "iu" and decimals >= 0:
        if out is None and a.ndim:
            return a.copy("K") if _ROUND_COPIES else as_view(given)
        return _U["positive"](a, out)
    if decimals == 0 and a.dtype.kind != "c":
        return _U["rint"](a, out)
    if a.dtype.kind in "ciub":
        return _fallback.call("round", numpy.round, (a, decimals, out), {})
    there, back = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    order = "F" if a.ndim > 1 and a.flags.fnc else "C"
    most = abs(decimals)
    if most < 23:
        factor = a.dtype.type(10.0**most)
    else:  # NumPy rounds each power of ten beyond its table, up to infinity
        factor = math.prod([10.0] * (min(most, 400) - 22), start=10.0**22)
    return _U[back](_U["rint"](_U[there](a, factor)), factor, out, order=order)


around = round


# NumPy 2.5 warns of its function `fix`; then calls go to it.
_FIX_IS_DEPRECATED = "warnings" in _fallback.behind_dispatcher(numpy.fix).__code__.co_names


def fix(x: Any, out: Any = None) -> Any:
    """Returns values rounded towards zero."""
    if _FIX_IS_DEPRECATED:
        return NotImplemented
    return _U["trunc"](x, out=out)


def _part(val: Any, name: str) -> Any:
    number = hasattr(val, name) and not isinstance(val, numpy.ndarray)
    return getattr(val if number else as_view(val), name)


def real(val: Any) -> Any:
    """Returns the real part: a view for complex arrays; for a number, a number."""
    return _part(val, "real")


def imag(val: Any) -> Any:
    """Returns the imaginary part: a view for complex arrays; for a number, a number."""
    return _part(val, "imag")


def iscomplex(x: Any) -> Any:
    """Returns where the imaginary part is not zero."""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else _core.zeros(x.shape, bool)[()]


def isreal(x: Any) -> Any:
    """Returns where the imaginary part is zero."""
    return imag(x) == 0


def isposinf(x: Any, out: Any = None) -> Any:
    """Returns where elements are plus infinity."""
    return _U["logical_and"](_U["isinf"](x), _U["logical_not"](_U["signbit"](x)), out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Returns where elements are minus infinity."""
    return _U["logical_and"](_U["isinf"](x), _U["signbit"](x), out)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Returns `x` in another dtype; raises TypeError if it is neither an array nor a scalar."""
    if not (_core.is_any_array(x) or isinstance(x, _core.scalar) or numpy.isscalar(x)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    if device is not None and device != "cpu":
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
    if not hasattr(x, "astype"):  # Python's numbers and strings are scalars to NumPy as well
        raise AttributeError(f"{type(x).__name__!r} object has no attribute 'astype'")
    if isinstance(x, (_core.scalar, numpy.generic)):  # a scalar stays one
        return x.astype(dtype, copy=copy)
    return as_view(x).astype(dtype, copy=copy)


def _replacement(value: Any, dtype: Any) -> Any:
    """Returns a number that promotes as Python's, or an array of replacements."""
    if isinstance(value, (float, int, numpy.floating)):
        return float(value)
    value = asarray(value)
    if value.ndim == 0:
        return float(value)
    if not numpy.can_cast(value.dtype, dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {value.dtype!r} to {dtype!r} according to "
            "the rule 'same_kind'"
        )
    return value


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Replaces NaN and infinities by numbers; without `copy` in `x`, which is returned."""
    result = _core.array(x, copy=copy)
    if result.dtype.kind == "c":
        _replace_nan(result.real, nan, posinf, neginf)
        _replace_nan(result.imag, nan, posinf, neginf)
    elif result.dtype.kind == "f":
        _replace_nan(result, nan, posinf, neginf)
    if not result.ndim:
        return result[()]
    return x if not copy and _core.is_any_array(x) else result


def _replace_nan(x: Any, nan: Any, posinf: Any, neginf: Any) -> None:
    """Replaces NaN and infinities of a real array by numbers, in place."""
    limits = numpy.finfo(x.dtype)
    greatest = float(limits.max) if posinf is None else _replacement(posinf, x.dtype)
    least = float(limits.min) if neginf is None else _replacement(neginf, x.dtype)
    new = nan if type(nan) is float else _replacement(nan, x.dtype)
    is_nan, above, below = _U["isnan"](x), x == numpy.inf, x == -numpy.inf
    finite = where(below, least, where(above, greatest, x))
    x[...] = where(is_nan, new, finite)


def sinc(x: Any) -> Any:
    """Returns sin(pi x) / (pi x)."""
    x = asarray(x)
    if x.dtype == numpy.float16:
        return NotImplemented  # versions of NumPy differ at zero, where 1e-20 is none in float16
    x = numpy.pi * x
    # Small enough for a quotient of one.
    y = where(x, x, numpy.finfo(x.dtype).eps if x.dtype.kind == "f" else 1.0e-20)
    return _U["sin"](y) / y


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Returns products of all pairs of elements."""
    a, b = asarray(a).ravel(), asarray(b).ravel()
    return _U["multiply"](a[:, None], b[None, :], out=out)


def _exact_output(out: Any, x: Any, y: Any) -> bool:
    """Returns whether `out` has the shape, dtype and layout of the result: `dot` needs all."""
    shape = (
        x.shape + y.shape
        if x.ndim == 0 or y.ndim == 0
        else x.shape[:-1] + y.shape[:-2] + y.shape[-1:] * (y.ndim > 1)
    )
    exact = out.flags.c_contiguous and out.dtype == numpy.result_type(x.dtype, y.dtype)
    return bool(exact and out.ndim == len(shape))


def _forward(x: Any) -> Any:
    """Returns `x`, copied if it has an axis with a negative or zero stride.

    NumPy's dot and inner copy such arrays for BLAS. Its matmul adds the products one after another
    instead: float32 loses four digits on ten million, and a matrix takes five times as long.
    """
    astray = x.dtype.char in "fdFD" and min(x.strides) <= 0
    return x.copy() if astray else x


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Returns the product of vectors, matrices or scalars as NumPy's dot does."""
    x, y = asarray(a), asarray(b)
    if type(x) is numpy.ndarray or type(y) is numpy.ndarray:
        return _fallback.call("dot", numpy.dot, (a, b, out), {})
    if out is not None and not _core.is_any_array(out):
        raise TypeError("'out' must be an array")
    if out is not None and not _exact_output(out, x, y):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of "
            "dimensions, and be a C-Array)"
        )
    if x.ndim == 0 or y.ndim == 0:
        product = _U["multiply"](x, y, out=out)
        by_blas = product.ndim in (1, 2) and product.size > 1 and product.dtype.char in "fdFD"
        # NumPy adds them to C-ordered zeros.
        if by_blas:
            return _U["add"](product, 0, out=out, order="C")
        return product if out is None or product.ndim else product[()]
    summed = max(y.ndim - 2, 0)  # the summed axis of y
    if x.shape[-1] != y.shape[summed]:
        shapes = " and ".join(str(shape).replace(" ", "") for shape in (x.shape, y.shape))
        raise ValueError(
            f"shapes {shapes} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != "
            f"{y.shape[summed]} (dim {summed})"
        )
    if x.ndim <= 2 and y.ndim <= 2:
        x, y = _forward(x), _forward(y)
        product = _core.dot_product(x, y, out)
        if out is None:
            return product
        return product if product.ndim else product[()]  # a number, as NumPy returns it
    return _fallback.call("dot", numpy.dot, (a, b, out), {})


def inner(a: Any, b: Any, /) -> Any:
    """Returns sums of products over the last axes."""
    x, y = asarray(a), asarray(b)
    own = type(x) is not numpy.ndarray and type(y) is not numpy.ndarray
    if own and x.ndim > 0 and 0 < y.ndim <= 2:
        return _core.dot_product(_forward(x), _forward(y.T))
    return _fallback.call("inner", numpy.inner, (a, b), {})


def vdot(a: Any, b: Any, /) -> Any:
    """Returns the sum of products of flattened arguments, the first conjugated."""
    x, y = asarray(a).ravel(), asarray(b).ravel()
    if type(x) is numpy.ndarray or type(y) is numpy.ndarray:
        return _fallback.call("vdot", numpy.vdot, (a, b), {})
    if x.size != y.size:
        raise ValueError(f"cannot reshape array of size {y.size} into shape ({x.size},)")
    if x.size == 0 and not (_core.is_any_array(a) and _core.is_any_array(b)):
        return NotImplemented  # NumPy has no dtype for an empty list there
    with numpy.errstate(all="ignore"):  # NumPy checks no floating-point exceptions here
        return _U["vecdot" if x.dtype.kind == "c" else "matmul"](x, y)


def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angle of complex numbers in the plane, in radians or degrees."""
    z = asarray(z)
    in_plane = z.dtype.kind == "c"
    found = _U["arctan2"](z.imag if in_plane else 0, z.real if in_plane else z)
    return found * (180 / numpy.pi) if deg else found
