"""Copies: writes of whole arrays or under a mask, and `require`."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _core, _fallback
from hassium._core import asarray
from hassium.functions import indexing, manipulation

_U = _core.ufuncs

_OWN = (_core.ndarray, _core.scalar)

__all__ = ["copyto", "putmask", "require"]


def copy_into(target: Any, source: Any, mask: Any) -> None:
    """Casts `source` to `target`'s dtype and writes it where `mask` holds."""
    if mask is not True:
        mask = asarray(mask)
    extra = getattr(source, "ndim", 0) - target.ndim
    if extra > 0 and source.shape[:extra] == (1,) * extra:  # assignment drops leading ones
        source = source.reshape(source.shape[extra:])
    _U["copy"](source, out=target, where=mask, casting="unsafe")


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Writes `src` into `dst` where the mask holds."""
    if casting == "same_kind" and _core.copy_plain(dst, src, where):
        return
    if type(dst) is _core.ndarray and casting == "same_kind" and _fits_as_it_is(dst, src, where):
        dst[... if where is True else where] = src
        return
    ours = type(src) is type(dst) is _core.ndarray and src.dtype is dst.dtype
    if ours and where is True and casting == "same_kind" and dst.flags._writeable_no_warn:
        dst[...] = src
        return
    if type(dst) is not _core.ndarray:
        _core.call_numpy(numpy.copyto, (dst, src, casting, where), {}, None)
        return
    weak = type(src) in (int, float, complex)  # a lazy scalar claims to be a float, but is strong
    source: Any = src if weak else asarray(src)
    if not weak and type(source) not in _OWN:  # text, objects, long doubles: no kernel casts them
        _fallback.call("copyto", numpy.copyto, (dst, source, casting, where), {})
        return
    mask = True if where is True else _mask(where)
    rule = casting if isinstance(casting, str) else None
    if not (rule and dst.flags._writeable_no_warn and _can_copy(dst, source, rule, mask)):
        _core.call_numpy(numpy.copyto, (dst, src, casting, where), {}, None)  # its errors
        return
    if type(src) is int:  # bounds are checked under every rule
        try:
            source = dst.dtype.type(src)
        except OverflowError as error:
            raise OverflowError(f"{error}") from None
    copy_into(dst, source, mask)


def _fits_as_it_is(dst: Any, src: Any, where: Any) -> bool:
    """Returns whether `src` fits the dtype, with no mask or one of the same shape."""
    if where is not True and not (
        type(where) is _core.ndarray and where.dtype.kind == "b" and where.shape == dst.shape
    ):
        return False
    if type(src) not in (float, int):
        return False
    return dst.dtype.kind in ("fc" if type(src) is float else "iufc")


def _mask(where: Any) -> Any:
    """Returns `where` as an array of bools; numbers are converted, arrays of numbers rejected."""
    if where is None or isinstance(where, (list, tuple, int, float, complex, numpy.generic)):
        return asarray(where, bool)
    mask = asarray(where)
    if mask.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to "
            f"the rule 'safe'"
        )
    return mask


def _can_copy(dst: Any, source: Any, casting: Any, mask: Any) -> bool:
    """Returns whether shapes and dtypes allow the copy under that casting rule."""
    if type(source) in (int, float, complex) and casting not in ("unsafe", "equiv"):
        allowed = numpy.result_type(dst.dtype, source) == dst.dtype  # "no" allows this too
    else:
        kind = source.dtype if hasattr(source, "dtype") else numpy.asarray(source).dtype
        allowed = numpy.can_cast(kind, dst.dtype, casting)
    shape: Any = getattr(source, "shape", ())
    while len(shape) > dst.ndim and shape[0] == 1:  # assignment drops leading axes of extent 1
        shape = shape[1:]
    mask_fits = mask is True or _fits(mask.shape, dst.shape)
    return allowed and _fits(shape, dst.shape) and mask_fits


def _fits(shape: Any, target: Any) -> bool:
    """Returns whether `shape` broadcasts to `target`."""
    before = len(target) - len(shape)
    return before >= 0 and all(n in (1, target[before + k]) for k, n in enumerate(shape))


def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Writes `values` (repeated as needed) into `a` where `mask` holds."""
    if type(a) is not _core.ndarray:
        _fallback.call("putmask", numpy.putmask, (a, mask, values), {})
        return
    if not a.flags.writeable:
        raise ValueError("putmask: output array is read-only")
    number = type(values) is float and a.dtype.kind in "fc"
    if number and type(mask) is _core.ndarray and mask.dtype.kind == "b" and mask.shape == a.shape:
        a[mask] = values
        return
    where = asarray(mask).astype(bool, copy=False)
    if where.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    strong = _core.is_any_array(values)
    if strong and not numpy.can_cast(values.dtype, a.dtype):
        raise TypeError(
            f"Cannot cast {'array data' if values.ndim else 'scalar'} from "
            f"{values.dtype!r} to {a.dtype!r} according to the rule 'safe'"
        )
    values = indexing.as_numbers(values, a.dtype)
    if values.size == 0:
        return
    if values.size == 1:
        values = values.reshape(())
    elif values.size != a.size:
        values = values.ravel()
        if values.size < a.size:
            values = manipulation.tile(values, -(-a.size // values.size))
        values = values[: a.size]
    values = values.reshape(a.shape) if values.ndim else values
    copy_into(a, values, where if where.shape == a.shape else where.reshape(a.shape))


_REQUIREMENTS = {
    name: name[0]
    for letter, names in (
        ("C", "C_CONTIGUOUS CONTIGUOUS"),
        ("F", "F_CONTIGUOUS FORTRAN"),
        ("A", "ALIGNED"),
        ("W", "WRITEABLE"),
        ("O", "OWNDATA"),
        ("E", "ENSUREARRAY"),
    )
    for name in (letter, *names.split())
}


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """Returns `a` as an array with the required flags: itself, or a copy if it lacks one.

    Not through NumPy, which would see an export that does not own its data.
    """
    if not requirements:
        return asarray(a, dtype, like=like)
    flags = {_REQUIREMENTS[name.upper()] for name in requirements}
    if flags >= {"C", "F"}:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in flags else "C" if "C" in flags else "A"
    found = asarray(a, dtype, order, like=like)
    kept = all(found.flags[flag] for flag in flags - {"C", "F", "E"})
    return found if kept else found.copy(order)
