"""Arrays in pairs: NumPy's and hassium's, of the same values and the same layout."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
from hypothesis import strategies as st

import hassium
from hassium import _core

NATIVE = [
    numpy.dtype(code)
    for code in ("?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "F", "D")
]


def is_ours(value: object) -> bool:
    return type(value) is _core.ndarray or type(value) is _core.scalar


def plain(value: Any) -> Any:
    """The same value without hassium: arrays copied, scalars NumPy's."""
    if type(value) is _core.scalar:
        return value.to_numpy()[()]
    return value.to_numpy() if type(value) is _core.ndarray else value


def case_outcome(case: Callable[[Any], Any], module: Any) -> tuple[Any, ...]:
    """What a case comes to with hassium or NumPy as its module: an array's value, or an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = numpy.asarray(case(module))
        except Exception as error:
            return (type(error),)
    return value.dtype, value.shape, value.tolist()


def values(shape: tuple[int, ...], dtype: Any = "f8") -> numpy.ndarray:
    size = int(numpy.prod(shape))
    return (numpy.arange(size) % 120).astype(dtype).reshape(shape)


def layouts(shape: tuple[int, ...], dtype: Any = "f8") -> dict[str, tuple[numpy.ndarray, Any]]:
    """Pairs by layout. Each pair is a view of memory of its own."""
    pairs: dict[str, tuple[numpy.ndarray, Any]] = {}

    def add(name: str, whole: numpy.ndarray, view: Callable[[Any], Any]) -> None:
        pairs[name] = (view(whole.copy()), view(_core.array(whole)))

    add("contiguous", values(shape, dtype), lambda a: a)
    if shape:
        doubled = tuple(2 * extent for extent in shape)
        add("strided", values(doubled, dtype), lambda a: a[(slice(None, None, 2),) * len(shape)])
        add("reversed", values(shape, dtype), lambda a: a[::-1])
        add("transposed", values(shape[::-1], dtype), lambda a: a.T)
    return pairs


def outcome(action: Callable[[], Any]) -> tuple[str, Any]:
    """The result, or the name of the exception's type."""
    try:
        return "value", action()
    except Exception as error:
        return "error", type(error).__name__


def agree(expected: Callable[[], Any], got: Callable[[], Any]) -> None:
    """Both give equal results of the same kind, or raise the same exception."""
    kind, want = outcome(expected)
    own_kind, have = outcome(got)
    assert (own_kind, have if own_kind == "error" else None) == (
        kind,
        want if kind == "error" else None,
    ), f"NumPy: {want!r}, hassium: {have!r}"
    if kind == "value":
        same(want, have)


def same(want: Any, have: Any) -> None:
    assert isinstance(want, numpy.ndarray) == (
        isinstance(have, numpy.ndarray) or type(have) is _core.ndarray
    )
    want, have = numpy.asarray(want), numpy.asarray(plain(have))
    assert have.dtype == want.dtype
    assert have.shape == want.shape
    assert numpy.array_equal(want, have, equal_nan=want.dtype.kind in "fc")


def same_parts(found: Any, wanted: Any) -> None:
    """Of complex numbers: the same values, and signs where they are no nan."""
    found, wanted = numpy.asarray(found), numpy.asarray(wanted)
    assert found.dtype == wanted.dtype
    for part in ("real", "imag"):
        a, b = getattr(found, part), getattr(wanted, part)
        numpy.testing.assert_array_equal(a, b)
        where = ~numpy.isnan(a)
        numpy.testing.assert_array_equal(numpy.signbit(a)[where], numpy.signbit(b)[where])


def shapes(least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[int, ...]]:
    extents = st.integers(0, 4).filter(lambda n: n > 0) | st.just(0)
    return st.lists(extents, min_size=least, max_size=most).map(tuple)


def pairs_of(shape: tuple[int, ...]) -> st.SearchStrategy[tuple[numpy.ndarray, Any]]:
    names = list(layouts(shape))
    return st.sampled_from(names).map(lambda name: layouts(shape)[name])


def every_layout() -> list[Any]:
    return [
        (shape, name) for shape in [(), (3,), (2, 3), (2, 1, 3), (0, 2)] for name in layouts(shape)
    ]


def pair(program: Callable[..., Any], *inputs: numpy.ndarray) -> None:
    """A program of a library and arrays lists equal results of equal dtypes with both libraries."""
    expected = program(numpy, *[x.copy() for x in inputs])
    found = program(hassium, *[hassium.array(x) for x in inputs])
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
