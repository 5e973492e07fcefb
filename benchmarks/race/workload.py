"""Workloads of races: plain NumPy code, its inputs, and additions for other contenders.

The code of a workload is one function that uses the library under the global name `np`, so the same
lines run under NumPy, hassium, and (compiled) numba and JAX. It never changes its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy

Code = Callable[..., Any]
Arrays = Sequence[Any]
Pair = tuple[float, float]  # with one thread, with two


@dataclass(frozen=True)
class Workload:
    name: str
    code: Code
    inputs: Callable[[int], Arrays]  # of a size
    medium: int  # the size to which the mark refers
    # Other sizes: 1e3, 1e5 and 1e7 elements or the closest possible.
    sizes: tuple[int, ...] = (1_000, 100_000, 10_000_000)
    mark: Pair | None = None  # least speed-up over NumPy
    rival: Pair | None = None  # best seen of a library
    loops: Pair | None = None  # best seen of hand-written loops
    hand: bool = True  # a function of this name is in native/
    # Output buffers of the hand-written loop; the first `results` of them are the results.
    buffers: Callable[[Arrays], Arrays] = lambda inputs: [numpy.empty_like(inputs[0])]
    results: int = 1
    jax: Code | None = None  # functional form; `code` itself if it assigns nothing
    assigns: bool = False
    expression: str = ""  # of numexpr, over the names a, b, c .. of the inputs
    # Bytes that must pass between memory and processor: arrays in and out, once each.
    streams: Callable[[Arrays], int] | None = None
    tolerance: float = 1e-9


def bound(code: Code, library: Any) -> Code:
    """Returns the code with `np` bound to another library."""
    if not isinstance(code, FunctionType):
        raise TypeError("the code of a workload is a plain function")
    names = {**code.__globals__, "np": library}
    made = FunctionType(code.__code__, names, code.__name__, code.__defaults__, code.__closure__)
    made.__qualname__ = code.__qualname__
    return made


def generator(seed: int) -> numpy.random.Generator:
    return numpy.random.default_rng(seed)


def once(*more: int) -> Callable[[Arrays], int]:
    """Returns the bytes of all inputs and of `more` results that are like the first input."""
    results = more[0] if more else 1
    return lambda inputs: sum(a.nbytes for a in inputs) + results * int(inputs[0].nbytes)
