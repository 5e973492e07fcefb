"""Samples many numbers of NumPy's streams at once, bit-identical, on all cores.

Handles plain calls only; everything else, and every error, is NumPy's.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from hassium import _core

if TYPE_CHECKING:
    from collections.abc import Callable

# Fewer numbers than this NumPy draws in less time than checking the arguments takes; smaller for
# methods that are slow per number.
_MANY = 4096
_MANY_OF = dict.fromkeys(("standard_normal", "normal", "randn"), 1024)

_DOUBLE, _FLOAT = numpy.dtype(numpy.float64), numpy.dtype(numpy.float32)
_INTEGERS = {numpy.dtype(code): numpy.iinfo(code) for code in "bBhHiIlLqQ"}
# The bit generators with known streams, and subclasses with the same stream.
BITS: dict[type, type] = {kind: kind for kind in (numpy.random.PCG64, numpy.random.MT19937)}


class Plan(NamedTuple):
    """The sample that a call draws; `first` and `second` are parameters of the `law` of _core."""

    law: str
    size: Any
    dtype: Any
    first: Any = None
    second: Any = None


def _number(value: Any) -> float:
    if type(value) in (float, numpy.float64) or type(value) is int:
        return float(value)
    raise TypeError


def _scale(value: Any) -> float | None:
    """Returns a valid scale, or None: NumPy raises the error."""
    scale = _number(value)
    return scale if 0 <= scale < math.inf and math.copysign(1, scale) > 0 else None


def _floats(law: str, size: Any, dtype: Any) -> Plan | None:
    known = numpy.dtype(dtype)
    return Plan(law, size, known) if known in (_DOUBLE, _FLOAT) else None


def _moved(law: str, loc: Any, scale: Any, size: Any) -> Plan | None:
    times, plus = _scale(scale), _number(loc)
    return None if times is None else Plan(law, size, _DOUBLE, times, plus)


def _scaled(law: str, scale: Any, size: Any) -> Plan | None:
    times = _scale(scale)
    return None if times is None else Plan(law, size, _DOUBLE, times)


def _between(law: str, low: Any, high: Any, size: Any) -> Plan | None:
    least, most = _number(low), _number(high)
    spread = most - least
    if not 0 <= spread < math.inf:
        return None
    return Plan(law, size, _DOUBLE, spread, least)


def _integer(value: Any) -> int:
    if type(value) is int or isinstance(value, numpy.integer):
        return int(value)
    raise TypeError


def _whole(law: str, low: Any, high: Any, size: Any, dtype: Any, endpoint: Any) -> Plan | None:
    known = numpy.dtype(dtype)
    limits = _INTEGERS.get(known)
    if limits is None or not known.isnative or type(endpoint) is not bool:
        return None
    least, most = (0, _integer(low)) if high is None else (_integer(low), _integer(high))
    most -= not endpoint
    if not limits.min <= least <= most <= limits.max:
        return None
    return Plan(law, size, known, least, most - least)


class OfGenerator:
    """Methods of a Generator with a PCG64, with NumPy's parameters."""

    @staticmethod
    def standard_normal(size: Any = None, dtype: Any = _DOUBLE) -> Plan | None:
        return _floats("pcg64_normal", size, dtype)

    @staticmethod
    def standard_exponential(
        size: Any = None, dtype: Any = _DOUBLE, method: str = "zig"
    ) -> Plan | None:
        return _floats("pcg64_exponential", size, dtype) if method == "zig" else None

    @staticmethod
    def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Plan | None:
        return _moved("pcg64_normal", loc, scale, size)

    @staticmethod
    def exponential(scale: Any = 1.0, size: Any = None) -> Plan | None:
        return _scaled("pcg64_exponential", scale, size)

    @staticmethod
    def integers(
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = numpy.int64,
        endpoint: Any = False,
    ) -> Plan | None:
        return _whole("pcg64_integers", low, high, size, dtype, endpoint)


class OfRandomState:
    """Methods of a RandomState with an MT19937."""

    @staticmethod
    def random_sample(size: Any = None) -> Plan | None:
        return _floats("mt19937_uniform", size, _DOUBLE)

    random = random_sample

    @staticmethod
    def rand(*size: Any) -> Plan | None:
        return _floats("mt19937_uniform", size, _DOUBLE)

    @staticmethod
    def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Plan | None:
        return _between("mt19937_uniform", low, high, size)

    @staticmethod
    def standard_normal(size: Any = None) -> Plan | None:
        return _floats("mt19937_normal", size, _DOUBLE)

    @staticmethod
    def randn(*size: Any) -> Plan | None:
        return _floats("mt19937_normal", size, _DOUBLE)

    @staticmethod
    def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Plan | None:
        return _moved("mt19937_normal", loc, scale, size)

    @staticmethod
    def standard_exponential(size: Any = None) -> Plan | None:
        return _floats("mt19937_exponential", size, _DOUBLE)

    @staticmethod
    def exponential(scale: Any = 1.0, size: Any = None) -> Plan | None:
        return _scaled("mt19937_exponential", scale, size)

    @staticmethod
    def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Plan | None:
        wanted = "long" if dtype is int else dtype
        return _whole("mt19937_integers", low, high, size, wanted, False)


# Position of the size among the arguments; -1: the arguments are its extents.
_SIZE_AT = {"rand": -1, "randn": -1, "uniform": 2, "normal": 2, "exponential": 1}
_SIZE_AT |= {"integers": 2, "randint": 2}


def planner(method: Any) -> Callable[..., Plan | None] | None:
    """Returns the function that plans calls of a bound method of NumPy's generators, or None."""
    kinds = {numpy.random.Generator: OfGenerator, numpy.random.RandomState: OfRandomState}
    kind = kinds.get(type(method.__self__))
    return getattr(kind, method.__name__, None)


def many(name: str) -> int:
    """Returns the number of samples from which on the method of that name is native."""
    return _MANY_OF.get(name, _MANY)


def chooser(method: Any, unbound: Any) -> Any:
    """Returns a function with the parameters of `unbound` that draws many numbers natively."""
    plan = planner(method)
    if plan is None:
        return unbound

    def native(generator: Any, *args: Any, **kwargs: Any) -> Any:
        return drawn(plan, generator, args, kwargs)

    name = method.__name__
    return _core.chooser(unbound, native, _SIZE_AT.get(name, 0), many(name))


def drawn(
    plan: Callable[..., Plan | None], generator: Any, args: Any, kwargs: dict[str, Any]
) -> Any:
    """Returns the array that the call draws, or None to fall back to NumPy."""
    bits = generator._bit_generator
    try:
        planned = plan(*args, **kwargs)
        if planned is None:
            return None
        kind = BITS.get(type(bits))
        if kind is not _kind(planned.law) or not known_layout(kind):
            return None
        shape = _shape(planned.size)
    except (TypeError, OverflowError):
        return None
    if shape is None or not _agrees(planned.law, planned.dtype):
        return None
    return _draw(planned._replace(size=shape), bits, generator)


def _draw(plan: Plan, bits: Any, generator: Any) -> Any:
    arguments: tuple[Any, ...] = (bits, *plan[1:])
    if plan.law == "mt19937_normal":
        arguments += (generator.standard_normal,)
    return getattr(_core, plan.law)(*arguments)


def _shape(size: Any) -> tuple[int, ...] | None:
    shape = size if type(size) is tuple else (size,)
    extents = tuple(_integer(extent) for extent in shape)
    return extents if min(extents, default=-1) >= 0 else None


@functools.cache
def known_layout(kind: Any) -> bool:
    """Returns whether NumPy's PCG64 or MT19937 has the state layout that this package reads."""
    bits = kind(1)
    generator = numpy.random.Generator(bits)
    for dtype in (_DOUBLE, _FLOAT):
        generator.random(dtype=dtype)
        state = bits.state["state"]
        if kind is numpy.random.MT19937:
            here: Any = _core.mt19937_in_memory(bits)
            there: Any = (state["key"].tobytes(), state["pos"])
        else:
            here = _core.pcg64_in_memory(bits)
            there = (state["state"], state["inc"], bits.state["has_uint32"], bits.state["uinteger"])
        if here != there:
            return False
    return True


def _trials(law: str, dtype: Any) -> list[tuple[Plan, str, tuple[Any, ...]]]:
    """Returns plans, with the methods and arguments by which NumPy draws the same."""
    n = 2047
    if law.endswith("integers"):
        most = int(_INTEGERS[dtype].max)
        spans = sorted({99, most // 2 + 1, min(most, 1 << 31), min(most, 1 << 32), most})
        method = "integers" if law == "pcg64_integers" else "randint"
        return [(Plan(law, (n,), dtype, 0, s), method, (0, s + 1, n, dtype)) for s in spans]
    if dtype == _FLOAT:
        return [(Plan(law, (n,), dtype), _STANDARD[law], (n, dtype))]
    plain = (Plan(law, (n,), dtype), _STANDARD[law], (n,))
    if law.endswith("exponential"):
        return [plain, (Plan(law, (n,), dtype, 1.7), "exponential", (1.7, n))]
    if law == "mt19937_uniform":
        return [plain, (Plan(law, (n,), dtype, 1.9 - 0.3, 0.3), "uniform", (0.3, 1.9, n))]
    return [plain, (Plan(law, (n,), dtype, 1.7, 0.3), "normal", (0.3, 1.7, n))]


_STANDARD = {
    "pcg64_normal": "standard_normal",
    "pcg64_exponential": "standard_exponential",
    "mt19937_uniform": "random_sample",
    "mt19937_normal": "standard_normal",
    "mt19937_exponential": "standard_exponential",
}


def _kind(law: str) -> Any:
    return numpy.random.PCG64 if law.startswith("pcg64") else numpy.random.MT19937


def _state(bits: Any, generator: Any) -> str:
    """Returns the whole state of a generator, as text."""
    state = bits.state
    if "key" not in state["state"]:
        return str(state)
    kept = generator.get_state(legacy=False)
    return f"{state['state']['key'].tolist()} {state['state']['pos']} {kept['gauss']}"


@functools.cache
def _agrees(law: str, dtype: Any) -> bool:
    """Returns whether NumPy draws the same numbers; another version might have another stream."""
    kind = _kind(law)
    twister = kind is numpy.random.MT19937
    make: Any = numpy.random.RandomState if twister else numpy.random.Generator
    for plan, method, args in _trials(law, dtype):
        bits = kind(7), kind(7)
        ours, theirs = make(bits[0]), make(bits[1])
        if not twister:  # leaves half of a word
            ours.random(dtype=_FLOAT), theirs.random(dtype=_FLOAT)
        here, there = _draw(plan, bits[0], ours), getattr(theirs, method)(*args)
        if here.tobytes() != there.tobytes() or _state(bits[0], ours) != _state(bits[1], theirs):
            return False
    return True
