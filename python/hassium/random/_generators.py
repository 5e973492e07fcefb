"""The generators of hassium.random, which wrap NumPy's functions and methods."""

from __future__ import annotations

import functools
import math
import types
from typing import Any

import numpy

import hassium.random._sampling as _sampling
from hassium import _core

# Methods of a Generator that can fill existing memory, with `size` as their first argument.
FILLING = frozenset(("random", "standard_normal", "standard_exponential"))
# Methods whose numbers depend on their positions alone: computed where they are used.
STREAMS = frozenset(("random", "uniform"))
# Fresh memory of that size costs page faults on first touch; the pool's has been touched.
LARGE_BYTES = 1 << 20
# At most as many are drawn by one call into NumPy, with no Python in between.
FEW = 1 << 16


class _Kind(type):
    """Metaclass of the classes below: NumPy's own objects are instances as well."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _NUMPYS.get(cls, ())) or super().__instancecheck__(instance)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _NUMPYS.get(cls, ())) or super().__subclasscheck__(other)

    @property
    def __signature__(cls) -> Any:
        """NumPy's, also of a subclass without an `__init__` of its own."""
        import inspect  # on demand: import stays cheap

        kind = next(base for base in cls.__mro__ if {"__new__", "__init__"} & vars(base).keys())
        if kind not in _NUMPYS:
            raise AttributeError("__signature__")
        return inspect.signature(_NUMPYS[kind])


class _Method:
    """A method of a generator that returns hassium arrays."""

    def __init__(self, name: str, original: Any) -> None:
        def by_name(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            bound = getattr(self, name)
            if type(self) in _NUMPYS.values():
                bound = method_for(self, bound)
            return bound(*args, **kwargs)

        self._name = name
        self._by_name = functools.update_wrapper(by_name, original)

    def __get__(self, generator: Any, kind: type) -> Any:
        if generator is None:
            return self._by_name
        value = method_for(generator, getattr(generator._numpys, self._name))
        if kind in _NUMPYS:  # cached, as every draw looks it up; a subclass may override it
            generator.__dict__[self._name] = value
        return value


class _Drawing(numpy.random.Generator):
    """NumPy's generator inside one of ours, to which methods are bound; pickled as ours."""

    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)


class _DrawingState(numpy.random.RandomState):
    """The same for NumPy's older generator."""

    def __reduce__(self) -> Any:
        return RandomState, (self._bit_generator,), self.get_state(legacy=False)


_Drawing.__name__, _DrawingState.__name__ = "Generator", "RandomState"  # for their repr


class Generator(numpy.random.Generator, metaclass=_Kind):
    """NumPy's generator, returning hassium arrays."""

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        # Shares the bit generator. Methods bound to it are cached here without a reference cycle.
        self._numpys = _Drawing(bit_generator)

    def __reduce__(self) -> Any:
        return type(self), (self.bit_generator,)


class RandomState(numpy.random.RandomState, metaclass=_Kind):
    """NumPy's older generator, returning hassium arrays."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)
        self._numpys = _DrawingState(self._bit_generator)

    def __reduce__(self) -> Any:
        return type(self), (self._bit_generator,), self._numpys.get_state(legacy=False)


_NUMPYS: dict[type, Any] = {
    Generator: numpy.random.Generator,
    RandomState: numpy.random.RandomState,
}
_core.register_generators(Generator, RandomState)
for _kind, _original in _NUMPYS.items():
    _kind.__module__ = "hassium.random"
    _kind.__doc__ = _original.__doc__
    for _name, _member in vars(_original).items():
        # `spawn` creates generators of the class on which it is called.
        if callable(_member) and _name[0] != "_" and _name != "spawn":
            setattr(_kind, _name, _Method(_name, _member))


def _seeded(original: Any) -> Any:
    """Returns a subclass of bit generators or seeds that accepts hassium arrays too."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _core.call_numpy(functools.partial(original.__init__, self), args, kwargs, None)

    members = {"__init__": functools.update_wrapper(__init__, original.__init__)}
    made = _Kind(original.__name__, (original,), members)
    made.__module__, made.__doc__ = "hassium.random", original.__doc__
    return made


for _name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence"):
    _original = getattr(numpy.random, _name)
    globals()[_name] = _seeded(_original)
    _NUMPYS[globals()[_name]] = _original
    if _original in _sampling.BITS:
        _sampling.BITS[globals()[_name]] = _original


def drawn(value: Any) -> Any:
    """Returns a member of NumPy's random module as hassium shows it."""
    if isinstance(value, type) or not callable(value):
        return value
    if isinstance(getattr(value, "__self__", None), numpy.random.RandomState):
        one = _One(value.__self__)
        made = special(value)
        return plain(value, one) if made is None else types.MethodType(made.__func__, one)

    def make(*args: Any, **kwargs: Any) -> Any:
        result = _core.call_numpy(value, args, kwargs, None)
        return Generator(result.bit_generator) if type(result) is _NUMPYS[Generator] else result

    functools.update_wrapper(make, value)
    make.__module__ = "hassium.random"  # pickle looks it up there
    return make


class _One:
    """The `__self__` of the module's functions: NumPy's one generator, pickled as ours."""

    def __init__(self, generator: Any) -> None:
        self._numpys = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpys, name)

    def __reduce__(self) -> Any:
        return RandomState, (self._bit_generator,), self._numpys.get_state(legacy=False)


def plain(method: Any, one: _One | None = None) -> Any:
    """Returns a method of a generator, bound to `one` if given, whose results are adopted.

    Bound as NumPy's is: as an attribute of a class it does not receive the instance.
    """

    generator, name = method.__self__, method.__name__
    unbound = getattr(type(generator), name)
    choose = _sampling.chooser(method, unbound)
    if one is not None:
        choose = _core.stand_in(choose, one, generator, name)
    draw: Any = _core.dispatcher(None, choose, None)
    return types.MethodType(_named(draw, unbound, generator), one or generator)


def _named(draw: Any, unbound: Any, generator: Any) -> Any:
    """Names `draw` as NumPy's unbound method, and pickles it as the method of our class.

    cloudpickle stores the two halves of a bound method separately.
    """
    older = isinstance(generator, _NUMPYS[RandomState])
    kind, name = RandomState if older else Generator, unbound.__name__
    functools.update_wrapper(draw, unbound)
    draw.__reduce_ex__ = lambda protocol: (getattr, (kind, name))
    return draw


class _Binding(tuple[Any, ...]):
    """The `__self__` of a C method, ending with NumPy's method; pickled as the generator."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return self[-1].__self__.__reduce__()


def method_for(generator: Any, method: Any) -> Any:
    """Returns the drawing method for `method` of NumPy's generator inside `generator`."""
    if (made := special(method)) is not None:
        return made
    if not isinstance(generator, Generator):
        return plain(method)
    name, bits = method.__name__, generator.bit_generator
    general = filling(method) if name in FILLING else plain(method)
    if name in STREAMS and has_known_state(bits):
        return _core.random_stream(name, bits, general, method, _Binding)
    return general


def special(method: Any) -> Any:
    """Returns a wrapper of `method` if it needs more than a call of NumPy's, else None."""
    make = {"choice": choosing, "shuffle": shuffling}.get(method.__name__)
    return None if make is None else make(method)


def shuffling(method: Any) -> Any:
    """Wraps `shuffle`: a list itself is shuffled, not a list of exported arrays."""
    general, generator = plain(method), method.__self__

    @functools.wraps(getattr(type(generator), method.__name__))
    def shuffle(_: Any, /, *args: Any, **kwargs: Any) -> Any:
        x = args[0] if args else kwargs.get("x")
        return (method if isinstance(x, list) else general)(*args, **kwargs)

    return types.MethodType(shuffle, generator)


def choosing(method: Any) -> Any:
    """Wraps `choice`: uniform draws with replacement index by drawn positions, as NumPy does."""
    generator = method.__self__
    older = isinstance(generator, _NUMPYS[RandomState])
    positions, general = plain(generator.randint if older else generator.integers), plain(method)

    @functools.wraps(getattr(type(generator), method.__name__))
    def choice(
        _: Any, /, a: Any, size: Any = None, replace: Any = True, *rest: Any, **others: Any
    ) -> Any:
        sized = type(size) is int or (type(size) is tuple and size)
        if replace is True and sized and not rest and not others:
            if type(a) is int and a > 0:
                return positions(0, a, size)
            if type(a) is _core.ndarray and a.ndim == 1 and a.size > 0:
                return a[positions(0, a.size, size)]
        return general(a, size, replace, *rest, **others)

    return types.MethodType(choice, generator)


def has_known_state(bits: Any) -> bool:
    return _sampling.BITS.get(type(bits)) is numpy.random.PCG64 and _sampling.known_layout(
        numpy.random.PCG64
    )


def filling(method: Any) -> Any:
    """Wraps a method of a generator to draw many numbers directly into memory of the pool."""

    plan = _sampling.planner(method)

    def draw(*args: Any, **kwargs: Any) -> Any:
        if plan is not None:
            drawn = _sampling.drawn(plan, method.__self__, args, kwargs)
            if drawn is not None:
                return drawn
        if (target := target_of(args, kwargs)) is not None:
            kwargs = {**kwargs, "out": target}
        return _core.call_numpy(method, args, kwargs, None)

    name = method.__name__
    return _core.drawer(
        name, _Binding((draw, FEW if plan is None else _sampling.many(name), method))
    )


def target_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns an array of the pool for a plain draw of many numbers, else None."""
    size = args[0] if args else kwargs.get("size")
    if size is None:
        return None
    shape = (size,) if type(size) is int else size
    if type(shape) is not tuple or not all(type(extent) is int for extent in shape):
        return None
    if 8 * math.prod(shape) < LARGE_BYTES or min(shape) < 0:
        return None
    if len(args) > 2 or kwargs.keys() - {"size", "dtype", "method"}:
        return None
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype", numpy.float64)
    try:
        known = numpy.dtype(dtype)
    except TypeError:
        return None
    return _core.empty(shape, known) if known in (numpy.float64, numpy.float32) else None


def public(name: str) -> Any:
    """Returns the member of ``numpy.random`` as ``hassium.random`` has it."""
    value = getattr(numpy.random, name)
    ours = next((ours for ours, numpys in _NUMPYS.items() if value is numpys), None)
    return drawn(value) if ours is None else ours
