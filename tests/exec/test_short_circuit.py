"""any and all: counted as comparisons make their bools, and left when a part has decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import _core
from simd_levels import LEVELS

MANY = 300_000
TESTS = [
    row["name"]
    for row in _core.op_table()
    if {"bool_result", "ufunc"} <= set(row["flags"]) and row["nin"] <= 2
]
FOLDS: list[Callable[[Any, Any], Any]] = [
    lambda m, b: b.any(),
    lambda m, b: b.all(),
    lambda m, b: b.sum(),
    lambda m, b: b.mean(),
    lambda m, b: b.any(axis=-1),
    lambda m, b: b.all(axis=0),
    lambda m, b: m.logical_xor.reduce(b, axis=None),
    lambda m, b: b.max(),
    lambda m, b: b.min(axis=-1),
]


def agrees(compute: Callable[[Any, list[Any]], Any], *arrays: Any) -> None:
    with numpy.errstate(all="ignore"), np.errstate(all="ignore"):
        theirs = numpy.asarray(compute(numpy, list(arrays)))
        ours = np.asarray(compute(np, [np.array(a) for a in arrays])).to_numpy()
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "u2", "i1", "?", "c8"])
@pytest.mark.parametrize("name", TESTS)
def test_folds_of_what_rows_make(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(7)
    row = getattr(numpy, name)
    for shape in [(3000,), (30, 301), (3, 64), (5, 7), (1,)]:
        x, y = (draw.integers(0, 4, shape).astype(dtype) for _ in range(2))
        if x.dtype.kind in "fc":
            x[draw.random(shape) < 0.1] = numpy.nan
        y[..., -1] = x[..., -1]
        try:
            with numpy.errstate(all="ignore"):
                row(*[x, y][: row.nin])
        except TypeError:
            pytest.skip(f"NumPy has no {name} of {dtype}")
        seconds = [y, y[..., :1], y.dtype.type(2)] if row.nin == 2 else [None]
        for second in seconds:
            arrays = [x] if second is None else [x, second]
            for fold in FOLDS:
                agrees(lambda m, a, fold=fold: fold(m, getattr(m, name)(*a)), *arrays)


def decided(run: Callable[[], Any]) -> tuple[bool, int]:
    before = np.stats()["blocks_short_circuited"]
    result = bool(run())
    return result, np.stats()["blocks_short_circuited"] - before


@pytest.mark.parametrize("threads", [1, 2])
def test_a_decision_leaves_the_rest(threads: int) -> None:
    x = np.array(numpy.arange(MANY, dtype="f8"))
    b = x > 10
    np.flush()
    with np.config(threads=threads, parallelize="on"):
        assert decided(lambda: b.any()) == (True, 1)
        assert decided(lambda: b.all()) == (False, 1)
        assert decided(lambda: (x > 10).any()) == (True, 1)
        assert decided(lambda: (x < 10).all()) == (False, 1)
        assert decided(lambda: np.array_equal(x, x[::-1])) == (False, 1)
        assert decided(lambda: b.reshape(3, -1)[:, 1:].any()) == (True, 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_one_that_decides_is_found_wherever_it_is(level: str, threads: int) -> None:
    x = numpy.zeros(MANY)
    with np.config(simd=level, threads=threads, parallelize="on"):
        for at in (0, 1023, 1024, 4095, 70_000, MANY - 1):
            x[:] = 0
            x[at] = 1
            y = np.array(x)
            b = y != 0
            np.flush()
            for one in (y != 0, b, b[::-1], (y * 2 > 1) & (y < 3)):
                assert bool(one.any())
                assert not bool((~one).all())
        assert decided(lambda: (np.array(x) > 2).any()) == (False, 0)


def test_what_else_a_block_does_is_done() -> None:
    x = np.array(numpy.arange(MANY, dtype="f8"))
    np.flush()
    np.reset_stats()
    doubled = x * 2
    some = (doubled > 10).any()
    total, least = (x < 5).any(), (x < 5).all()
    assert bool(some)
    assert bool(total)
    assert not bool(least)
    numpy.testing.assert_array_equal(doubled.to_numpy(), numpy.arange(MANY) * 2.0)


def test_conditions_of_all_elements_are_raised() -> None:
    x = numpy.ones(MANY)
    x[-1] = 1e308
    y = np.array(x)
    np.flush()
    before = np.stats()["blocks_short_circuited"]
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        bool((y * 10 > 5).any())
    assert np.stats()["blocks_short_circuited"] == before
