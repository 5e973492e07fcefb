"""Linear algebra of stacks of small matrices: NumPy's routines take one matrix after the other,
each by itself, so the bits are NumPy's however the stack is shared out among the cores."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium.functions import parallelize

# Smallest and largest matrices that gain, by name: NumPy's routines contend for memory in LAPACK on
# small ones, and have threads of their own for large ones.
_GAIN = {
    "eigh": (1, 24), "eigvalsh": (1, 24), "inv": (16, 48), "pinv": (1, 48), "qr": (1, 48),
    "solve": (16, 48), "svd": (1, 48), "svdvals": (1, 48),
}  # fmt: skip
# Nanoseconds for one matrix at least, and for a product of two elements. Less than the cost of
# starting threads is not worth sharing.
_LEAST, _EACH, _WORTH = 500, 0.5, 500_000
_PLAIN = (bool, int, float, str, type(None))


def _worth_sharing(name: str, a: Any, others: tuple[Any, ...]) -> bool:
    if type(a) is not _core.ndarray or a.ndim < 3 or a.dtype.char not in "fdFD":
        return False
    least, largest = _GAIN[name]
    rows, columns = a.shape[-2:]
    if not least <= min(rows, columns) <= max(rows, columns) <= largest or a.shape[0] < 2:
        return False
    each = _LEAST + _EACH * rows * columns * max(rows, columns)
    enough = a.size / (rows * columns) * each > _WORTH and _core.thread_count() > 1
    return enough and all(type(other) in _PLAIN or _beside(a, other) for other in others)


def _beside(a: Any, other: Any) -> bool:
    """Returns whether the other stack has a matrix for each of these."""
    return type(other) is _core.ndarray and other.ndim == a.ndim and other.shape[0] == a.shape[0]


def _on_all_cores(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns NumPy's `function` on NumPy's arrays, divided along the first axis."""

    def run(*args: Any, **kwargs: Any) -> Any:
        count = len(args[0])
        found: dict[int, Any] = {}

        def work(cut: slice) -> None:
            def part(value: Any) -> Any:
                return value[cut] if isinstance(value, numpy.ndarray) else value

            found[cut.start] = function(
                *map(part, args), **{name: part(value) for name, value in kwargs.items()}
            )

        parallelize.share(work, count)
        parts = [found[start] for start in sorted(found)]
        if not isinstance(parts[0], tuple):
            return numpy.concatenate(parts)
        return type(parts[0])(*map(numpy.concatenate, zip(*parts, strict=True)))

    return run


def native(name: str) -> Callable[..., Any]:
    """Returns `numpy.linalg`'s function of that name, parallel for stacks that are worth it."""
    numpys = getattr(numpy.linalg, name)
    function = _on_all_cores(numpys)

    def shared(*args: Any, **kwargs: Any) -> Any:
        if not args or not _worth_sharing(name, args[0], (*args[1:], *kwargs.values())):
            return NotImplemented
        return _fallback.call(f"linalg.{name}", function, args, kwargs)

    return functools.wraps(numpys)(shared)
