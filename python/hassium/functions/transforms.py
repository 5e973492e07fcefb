"""``hassium.fft``: NumPy's transforms, many lines on all cores; and shifts, recorded.

Each line is transformed by itself, so the bits are NumPy's however lines are divided. NumPy
releases the GIL.
"""

from __future__ import annotations

import types
from typing import Any

import numpy

from hassium import _core, _fallback, _namespace
from hassium.functions import creation, manipulation, parallelize

# Elements whose transforms take several times as long as starting a thread, and lines of which one
# more costs little.
MANY, LINES = 500_000, 16
# Transforms along one axis, and along several.
ONE_AXIS = ("fft", "ifft", "rfft", "irfft")
AXES = {"fft2": "fft", "ifft2": "ifft", "fftn": "fft", "ifftn": "ifft"}


def _lines(name: str, x: Any, n: Any, axis: int, norm: Any) -> Any:
    """Applies one of NumPy's transforms along an axis, with the lines divided among threads."""
    transform = getattr(numpy.fft, name)
    along = max((k for k in range(x.ndim) if k != axis), key=lambda k: x.shape[k])
    x = numpy.asarray(x)
    if x.shape[along] < LINES:
        return _core.from_numpy(transform(x, n, axis, norm), False)
    one = (slice(None),) * along
    # The result of two lines shows shape, dtype and the order of axes in memory.
    few = transform(x[(*one, slice(0, 2))], n, axis, norm)
    shape = [x.shape[k] if k == along else extent for k, extent in enumerate(few.shape)]
    order = sorted(range(x.ndim), key=lambda k: -few.strides[k])
    # Memory of the pool has been touched before.
    found = creation.empty([shape[k] for k in order], few.dtype).transpose(numpy.argsort(order))
    target = numpy.asarray(found)

    def work(cut: slice) -> None:
        transform(x[(*one, cut)], n, axis, norm, out=target[(*one, cut)])

    parallelize.share(work, x.shape[along])
    return found


def _plain(a: Any, out: Any) -> bool:
    """Returns whether the lines are divided among threads; otherwise NumPy runs them."""
    if type(a) is not _core.ndarray or a.ndim < 2 or a.size < MANY or out is not None:
        return False
    known = a.dtype.char in "fdFDlLiIhHbB?"
    return known and min(a.shape) > 0 and _core.thread_count() > 1


def _along_one(name: str) -> Any:
    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
        if not _plain(a, out) or type(axis) is not int or not -a.ndim <= axis < a.ndim:
            return NotImplemented
        if n is not None and (type(n) is not int or n < 1):
            return NotImplemented
        return _lines(name, a, n, axis % a.ndim, norm)

    transform.__qualname__ = name  # Python's messages show it
    return transform


def _along_several(name: str) -> Any:
    of_one = AXES[name]
    usual = (-2, -1) if name.endswith("2") else None

    def transform(
        a: Any, s: Any = None, axes: Any = usual, norm: Any = None, out: Any = None
    ) -> Any:
        if not _plain(a, out) or s is not None:
            return NotImplemented
        if axes is None:
            axes = tuple(range(a.ndim))
        within = range(-a.ndim, a.ndim)
        if type(axes) is not tuple or not all(type(k) is int and k in within for k in axes):
            return NotImplemented
        found = a if axes else NotImplemented
        for axis in reversed(axes):
            found = _lines(of_one, found, None, axis % a.ndim, norm)
        return found

    transform.__qualname__ = name
    return transform


def _rolled(x: Any, axes: Any, sign: int) -> Any:
    """Returns an array rolled by half its extents, rounded down, along `axes`."""
    own = _fallback.own_array(x)
    if own is None or own.ndim == 0:
        return NotImplemented
    axes = tuple(range(own.ndim)) if axes is None else axes
    if isinstance(axes, (int, numpy.integer)):
        axes = (axes,)
    return manipulation.roll(own, [sign * (own.shape[k] // 2) for k in axes], axes)


def fftshift(x: Any, axes: Any = None) -> Any:
    """Moves the zero frequency to the middle."""
    return _rolled(x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Moves the zero frequency to the front: the inverse of `fftshift`."""
    return _rolled(x, axes, -1)


def module() -> types.ModuleType:
    """Returns NumPy's module with these functions in place of its own."""
    twin = _fallback.wrap_module("fft", numpy.fft)
    for make, names in ((_along_one, ONE_AXIS), (_along_several, AXES)):
        for name in names:
            native = make(name)
            native.__doc__ = getattr(numpy.fft, name).__doc__
            setattr(twin, name, _namespace.public(name, native, numpy.fft))
    for native in (fftshift, ifftshift):
        name = native.__name__
        setattr(twin, name, _namespace.public(name, native, numpy.fft))
    return twin
