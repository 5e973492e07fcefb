"""What a race is about: plain NumPy code, its inputs, and what others need to take part.

The code of a workload is one function that finds the library under the global name `np`, so the
same lines run under NumPy, hassium, and (compiled) numba and JAX. It never changes its inputs.
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
    medium: int  # the size that the mark speaks of
    # Others, in elements 1e3, 1e5, 1e7 or what comes closest.
    sizes: tuple[int, ...] = (1_000, 100_000, 10_000_000)
    mark: Pair | None = None  # least speed-up over NumPy
    rival: Pair | None = None  # best that was seen of a library
    loops: Pair | None = None  # best that was seen of loops written by hand
    hand: bool = True  # a function of this name is in native/
    # Memory of the loop by hand beside the inputs; the first `results` of it are the answer.
    buffers: Callable[[Arrays], Arrays] = lambda inputs: [numpy.empty_like(inputs[0])]
    results: int = 1
    jax: Code | None = None  # functional form; `code` itself when it assigns nothing
    assigns: bool = False
    expression: str = ""  # of numexpr, over the names a, b, c .. of the inputs
    # Bytes that have to pass between memory and processor: arrays in and out, once each.
    streams: Callable[[Arrays], int] | None = None
    tolerance: float = 1e-9


def bound(code: Code, library: Any) -> Code:
    """The code with `np` standing for another library."""
    if not isinstance(code, FunctionType):
        raise TypeError("the code of a workload is a plain function")
    names = {**code.__globals__, "np": library}
    made = FunctionType(code.__code__, names, code.__name__, code.__defaults__, code.__closure__)
    made.__qualname__ = code.__qualname__
    return made


def generator(seed: int) -> numpy.random.Generator:
    return numpy.random.default_rng(seed)


def once(*more: int) -> Callable[[Arrays], int]:
    """Bytes of all inputs and of `more` results that are like the first one."""
    results = more[0] if more else 1
    return lambda inputs: sum(a.nbytes for a in inputs) + results * int(inputs[0].nbytes)
