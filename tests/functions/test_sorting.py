"""Sorting on all cores: NumPy's order, nans last."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = ["f8", "f4", "f2", "i8", "i4", "u4", "i2", "u2", "i1", "u1", "?"]
SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((40_000,), -1),
    ((200_001,), 0),
    ((120_000, 1), 0),
    ((1, 120_000), -1),
    ((300, 200), 1),
    ((300, 200), 0),
    ((20, 30, 70), 1),
    ((40, 50, 60), None),
    ((12_000, 3), 1),
    ((16, 2_500), 0),
    ((5, 17, 400), 1),
    ((3, 50_000), -1),
]


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    r = numpy.random.default_rng(len(shape))
    x = r.normal(size=shape) * 50
    if dtype[0] != "f":
        return x.astype("i8").astype(dtype)
    x[r.random(shape) < 0.01] = numpy.nan
    x.reshape(-1)[:3] = numpy.inf, -numpy.inf, -0.0
    return x.astype(dtype)


def asked(name: str) -> int:
    return int(np.stats()["fallbacks"].get(name, {"count": 0})["count"])


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_sorted_copies(shape: tuple[int, ...], axis: Any, dtype: str, threads: int) -> None:
    x = draw(shape, dtype)
    expected = numpy.sort(x, axis)
    with np.config(threads=threads):
        for ours in (np.array(x), np.asarray(x[::-1].copy())[::-1]):
            found = np.sort(ours, axis)
            assert numpy.array_equal(numpy.asarray(found), expected, equal_nan=dtype[0] == "f")
            assert found.dtype == dtype
            assert found.flags.c_contiguous
            assert numpy.array_equal(numpy.asarray(ours), x, equal_nan=dtype[0] == "f")


@pytest.mark.parametrize(
    "kind", ["equal", "two values", "rising", "falling", "all nan", "half nan", "most nan"]
)
def test_lines_that_no_pivot_parts(kind: str) -> None:
    n = 200_000
    x = {
        "equal": numpy.full(n, 3.0),
        "two values": numpy.arange(n) % 2 * 1.0,
        "rising": numpy.arange(n) * 1.0,
        "falling": numpy.arange(n)[::-1] * 1.0,
        "all nan": numpy.full(n, numpy.nan),
        "half nan": numpy.where(numpy.arange(n) * 7919 % n < n // 2, numpy.nan, -numpy.arange(n)),
        "most nan": numpy.where(numpy.arange(n) * 7919 % n < n * 2 // 3, numpy.nan, 1.0),
    }[kind]
    with np.config(threads=5):
        found = np.sort(np.array(x))
    assert numpy.array_equal(numpy.asarray(found), numpy.sort(x), equal_nan=True)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [pair for pair in SHAPES if pair[1] is not None and max(pair[0]) < numpy.prod(pair[0])],
)
def test_positions_in_lines(shape: tuple[int, ...], axis: int, dtype: str, threads: int) -> None:
    """Those of equal elements as well, in whatever order NumPy leaves them."""
    x = draw(shape, dtype)
    before = asked("argsort") + asked("ndarray.argsort")
    with np.config(threads=threads):
        for ours in (np.array(x), np.asarray(x[::-1].copy())[::-1]):
            for kind in (None, "stable", "quicksort"):
                wanted = numpy.argsort(x, axis, kind)
                for found in (np.argsort(ours, axis, kind), ours.argsort(axis=axis, kind=kind)):
                    assert numpy.array_equal(numpy.asarray(found), wanted)
                    assert found.dtype == "int64"
                    assert found.flags.c_contiguous
            assert numpy.array_equal(
                np.argsort(ours, axis, stable=True), numpy.argsort(x, axis, stable=True)
            )
    assert asked("argsort") + asked("ndarray.argsort") == before


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dtype", ["i8", "i4", "u4", "i2", "u2", "i1", "u1", "u8"])
def test_positions_of_small_integers(dtype: str, threads: int) -> None:
    """One line, equal ones in order."""
    r = numpy.random.default_rng(8)
    top = numpy.iinfo(dtype).max
    before = asked("argsort")
    for n, first, last in [
        (2000, 0, 3), (70_001, 0, 100), (200_000, top - 9, top), (5000, top // 2, top // 2 + 1),
        (300_000, 0, min(top, 90_000)),
    ]:  # fmt: skip
        x = r.integers(first, last, n, dtype)
        if dtype[0] == "i":
            x[::3] = -x[::3] if last < 101 else x[::3]
        for ours, theirs in (
            (np.array(x), x),
            (np.array(x[::-1])[::-1], x),
            (np.array(x)[:, None], x),
        ):
            axis = 0 if ours.ndim > 1 else -1
            with np.config(threads=threads):
                found = np.argsort(ours, axis, kind="stable")
            wanted = numpy.argsort(theirs, kind="stable").reshape(ours.shape)
            assert numpy.array_equal(numpy.asarray(found), wanted)
            assert found.dtype == wanted.dtype
    if dtype != "u8":
        assert asked("argsort") == before
    assert numpy.array_equal(ours.argsort(0), numpy.argsort(x[:, None], 0)), (
        "NumPy's order of equals"
    )


def test_positions_that_are_numpys() -> None:
    x = draw((200, 300), "f8")
    ours = np.array(x)
    for kwargs in ({"kind": "heapsort"}, {"axis": 1.0}):
        before = asked("argsort")
        if "axis" in kwargs:
            with pytest.raises(TypeError):
                np.argsort(ours, **kwargs)
        else:
            assert numpy.array_equal(np.argsort(ours, **kwargs), numpy.argsort(x, **kwargs))
        assert asked("argsort") == before + 1
    assert numpy.array_equal(np.argsort(ours, axis=None), numpy.argsort(x, axis=None))
    with pytest.raises(numpy.exceptions.AxisError):
        ours.argsort(axis=2)
    with pytest.raises(ValueError, match="kind"):
        np.argsort(ours, kind="stable", stable=True)
    with pytest.raises(ValueError, match="order"):
        np.argsort(ours, order="a")


def test_in_place() -> None:
    x = draw((300, 200), "f8")
    for axis in (-1, 0):
        ours, theirs = np.array(x), x.copy()
        before = asked("ndarray.sort")
        assert ours.sort(axis) is None
        assert asked("ndarray.sort") == before
        theirs.sort(axis)
        assert numpy.array_equal(numpy.asarray(ours), theirs, equal_nan=True)
    whole = np.array(x)
    whole.T[::2].sort(axis=1)
    theirs = x.copy()
    theirs.T[::2].sort(axis=1)
    assert numpy.array_equal(numpy.asarray(whole), theirs, equal_nan=True)
    whole.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        whole.sort()
    lent = numpy.asarray(np.array(x))
    np.asarray(lent).sort()


def test_what_is_numpys() -> None:
    x = numpy.random.default_rng(1).integers(0, 50, 50_000) * 0.5
    ours = np.array(x)
    for kwargs in ({"kind": "stable"}, {"stable": True}, {"kind": "heapsort"}):
        before = asked("sort")
        assert numpy.array_equal(numpy.asarray(np.sort(ours, **kwargs)), numpy.sort(x, **kwargs))
        assert asked("sort") == before + (kwargs.get("kind") == "heapsort")
    lines = numpy.random.default_rng(1).integers(0, 50, (300, 200))
    whole = np.array(lines)
    before = asked("sort")
    for kwargs in ({"kind": "stable"}, {"stable": True}, {"kind": "mergesort"}):
        assert numpy.array_equal(numpy.asarray(np.sort(whole, **kwargs)), numpy.sort(lines))
    assert asked("sort") == before
    both = x + 1j * x[::-1]
    assert numpy.array_equal(numpy.asarray(np.sort(np.array(both))), numpy.sort(both))
    with pytest.raises(numpy.exceptions.AxisError):
        np.sort(ours, axis=1)
    with pytest.raises(ValueError, match="order"):
        np.sort(ours, order="a")


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_medians_of_sorted_lines(dtype: str) -> None:
    x = draw((90, 150, 3), dtype)
    for axis in (1, (0, 2), (1, 0)):
        with numpy.errstate(all="ignore"):
            expected = numpy.median(x, axis=axis), numpy.percentile(x, [7, 80.5], axis=axis)
            found = np.median(np.array(x), axis=axis), np.percentile(np.array(x), [7, 80.5], axis)
            for a, b in zip(found, expected, strict=True):
                assert numpy.array_equal(numpy.asarray(a), b, equal_nan=True)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_order_in_memory(order: tuple[int, ...], axis: int) -> None:
    x = numpy.random.default_rng(0).normal(size=(40, 50, 60)).transpose(order)
    found, wanted = np.sort(np.array(x), axis), numpy.sort(x, axis)
    assert found.strides == wanted.strides
    assert numpy.array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("dtype", ["u1", "i1", "?"])
@pytest.mark.parametrize("shape", [(40_001,), (300, 127), (300, 128), (3, 20_000)])
def test_bytes_are_counted(dtype: str, shape: tuple[int, ...]) -> None:
    draw = numpy.random.default_rng(len(shape))
    x = draw.integers(0, 256, shape).astype("u1")
    x = x.view(dtype) if dtype == "i1" else x.astype(dtype)
    for a in (x, x // 100 if dtype != "?" else ~x):
        assert numpy.array_equal(numpy.asarray(np.sort(np.array(a))), numpy.sort(a))
        found = numpy.asarray(np.sort(np.array(a), axis=0))
        assert numpy.array_equal(found, numpy.sort(a, axis=0))
        if dtype != "?":
            assert numpy.array_equal(numpy.asarray(np.median(np.array(a), -1)), numpy.median(a, -1))
