"""Every row x native dtype x layout x way of running, against NumPy.

Exact rows are equal; the others lie within their row's bound of a reference in higher precision,
and are special where NumPy is special.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hassium as hs
from hassium import _core

ROWS = {row["name"]: row for row in _core.op_table()}
MAPS = [n for n, row in ROWS.items() if "ufunc" in row["flags"] and row["class"] == "map"]
FOLDS = [n for n in MAPS if "reducible" in ROWS[n]["flags"]]
MODES: dict[str, dict[str, Any]] = {
    "tile": {"executor": "tile", "threads": 1, "eager_elements": 0},
    "eager": {"executor": "tile", "threads": 1, "eager_elements": 1 << 20},
    "threads": {"executor": "tile", "threads": 2, "eager_elements": 0},
    "not lazy": {"lazy": False, "eager_elements": 0},
    "reference": {"executor": "reference", "eager_elements": 0},
}
HIGHER = {
    "float16": "float64",
    "float32": "float64",
    "float64": "longdouble",
    "complex64": "complex128",
    "complex128": "clongdouble",
}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    with hs.config(**MODES[request.param]):
        yield request.param


def values(dtype: str, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Ordinary and special values of a dtype, in an order that pairs them all sooner or later."""
    rng = np.random.default_rng(seed)
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if t.kind in "iu":
        info = np.iinfo(t)
        special = np.array([0, 1, 2, 3, 7, info.max, info.min, info.max // 2], t)
        pool = np.concatenate([special, rng.integers(info.min, info.max, 40, t, endpoint=True)])
        if t.kind == "i":
            pool = np.concatenate([pool, np.array([-1, -2, -7], t)])
        return rng.choice(pool, count)
    if t.kind == "c":
        pool = rng.normal(size=60) * 3 + 1j * rng.normal(size=60) * 3
        return rng.choice(np.concatenate([pool, [0, 1, 1j, -1, -2.5]]), count).astype(t)
    info = np.finfo(t)
    special = [0.0, -0.0, 1, -1, 0.5, 2, np.inf, -np.inf, np.nan, info.max, info.tiny, info.eps]
    scale = rng.choice([0.1, 1.0, 10.0, 300.0], 60)
    with np.errstate(over="ignore"):
        pool = np.concatenate([np.array(special, t), (rng.normal(size=60) * scale).astype(t)])
    return rng.choice(pool, count)


def second_operand(name: str, dtype: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values of the second operand that the row does not refuse."""
    if name == "ldexp":
        return np.arange(array.size).reshape(array.shape) % 9 - 4
    if name in ("power", "left_shift", "right_shift") and array.dtype.kind in "iu":
        return (np.abs(array) % 9).astype(dtype) % array.dtype.type(9)
    return array


Layout = Callable[[Any, Any], Any]
# Each makes its view of a one-dimensional array of 42 elements, on either module.
LAYOUTS: dict[str, Layout] = {
    "contiguous": lambda m, a: a,
    "offset": lambda m, a: a[1:],
    "strided": lambda m, a: a[::3],
    "reversed": lambda m, a: a[::-1],
    "transposed": lambda m, a: a.reshape(6, 7).T,
    "inner": lambda m, a: a.reshape(6, 7)[1:-1, 1:-1],
    "broadcast": lambda m, a: m.broadcast_to(a[:7], (3, 7)),
    "column": lambda m, a: a.reshape(6, 7)[:, :1],
    "0-d": lambda m, a: a[5:6].reshape(()),
    "empty": lambda m, a: a[:0],
}


def operands(name: str, dtype: str) -> list[np.ndarray[Any, Any]]:
    first = values(dtype, 42, 1)
    if ROWS[name]["nin"] == 1:
        return [first]
    return [first, second_operand(name, dtype, values(dtype, 42, 2))]


def ulps(ours: Any, reference: Any, dtype: np.dtype[Any]) -> Any:
    """Distance in units in the last place of the result's dtype, normwise for complex numbers."""
    real = np.zeros(0, dtype).real.dtype
    info = np.finfo(real)
    size = np.maximum(np.abs(reference), np.longdouble(info.tiny))
    spacing = np.exp2(np.floor(np.log2(size))) * np.longdouble(info.eps)
    return np.abs(ours - reference) / spacing


def assert_close(name: str, ours: Any, theirs: Any, ins: list[Any]) -> None:
    """Within the row's bound of a result in higher precision."""
    dtype = theirs.dtype
    with np.errstate(all="ignore"):
        reference = getattr(np, name)(*[i.astype(HIGHER.get(i.dtype.name, i.dtype)) for i in ins])
        top = np.longdouble(np.finfo(dtype).max)
        ordinary = np.isfinite(theirs) & np.isfinite(reference) & (np.abs(reference) < top)
        np.testing.assert_array_equal(ours[~ordinary], theirs[~ordinary])
        wide = np.clongdouble if dtype.kind == "c" else np.longdouble
        error = ulps(ours.astype(wide), reference.astype(wide), dtype)[ordinary]
        numpys = ulps(theirs.astype(wide), reference.astype(wide), dtype)[ordinary]
    bound = max(ROWS[name]["ulp"], 1)
    if dtype.kind == "c":
        # Complex functions are those of the C library, which states no bound.
        bound = 2 * bound + 2 * numpys
    worst = error - bound
    assert np.all(worst <= 0), (error.max(), [i[ordinary][worst > 0] for i in ins])


def exact(name: str, dtype: str) -> bool:
    row = ROWS[name]
    if np.dtype(dtype).kind == "c" and name in ("multiply", "square"):
        return False  # NumPy fuses multiply and add there, where the processor can
    if np.dtype(dtype).kind in "biu" or row["ulp"] == 0:
        return True
    return "exact" in row["flags"] and np.dtype(dtype).kind != "c"


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", MAPS)
def test_maps(name: str, mode: str) -> None:
    for dtype in ROWS[name]["loops"]:
        plain = operands(name, dtype)
        held = [hs.array(a) for a in plain]
        with np.errstate(all="ignore"):
            # All are recorded before the first is read.
            recorded = {
                layout: as_tuple(_core.ufuncs[name](*[view(hs, a) for a in held]))
                for layout, view in LAYOUTS.items()
            }
            hs.flush()
        for layout, view in LAYOUTS.items():
            ins = [view(np, a) for a in plain]
            with np.errstate(all="ignore"):
                theirs = as_tuple(getattr(np, name)(*ins))
            got = [np.asarray(o) for o in recorded[layout]]
            for g, t in zip(got, theirs, strict=True):
                assert (g.dtype, g.shape) == (t.dtype, t.shape), (dtype, layout)
                if exact(name, dtype):
                    np.testing.assert_array_equal(g, t, err_msg=f"{dtype} {layout} {ins}")
                else:
                    assert_close(name, g, np.asarray(t), [np.asarray(i) for i in ins])


def tame(name: str, dtype: str) -> np.ndarray[Any, Any]:
    """Values whose reduction stays ordinary."""
    if np.dtype(dtype).kind in "fc":
        array = (np.random.default_rng(3).random(42) + 0.5).astype(dtype)
        return array
    return second_operand(name, dtype, values(dtype, 42, 3))


def numpy_fold(name: str, method: str, a: Any, axis: int) -> Any:
    """NumPy's answer; where order matters the last of its accumulation.

    NumPy 2.4 folds some of these (arctan2, power) in an order that its accumulate does not have.
    """
    ufunc = getattr(np, name)
    if method == "reduce" and "associative" not in ROWS[name]["flags"] and a.ndim and a.size:
        return np.take(ufunc.accumulate(a, axis), -1, axis)
    return getattr(ufunc, method)(a, axis)


def reduced_exactly(name: str, dtype: str) -> bool:
    """Sums and products of floats are combined in another order than NumPy's."""
    return np.dtype(dtype).kind in "biu" or name in (
        *("maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor"),
    )


@pytest.mark.parametrize("name", FOLDS)
def test_reductions(name: str, mode: str) -> None:
    row = ROWS[name]
    for dtype in row["loops"]:
        try:
            _core.ufuncs[name].reduce(hs.ones(1, dtype))
        except TypeError:
            continue
        plain = tame(name, dtype)
        held = hs.array(plain)
        for layout, view in LAYOUTS.items():
            a = view(np, plain)
            if a.size == 0 and row["identity"] is None:
                continue
            for axis in range(-a.ndim, a.ndim):
                for method in ("reduce", "accumulate"):
                    with np.errstate(all="ignore"):
                        theirs = numpy_fold(name, method, a, axis)
                        ours = getattr(_core.ufuncs[name], method)(view(hs, held), axis)
                        got = np.asarray(ours)
                    where = f"{method} {dtype} {layout} axis {axis}"
                    assert (got.dtype, got.shape) == (theirs.dtype, theirs.shape), where
                    if reduced_exactly(name, dtype):
                        np.testing.assert_array_equal(got, theirs, err_msg=where)
                    else:
                        eps = np.finfo(theirs.dtype).eps if theirs.dtype.kind in "fc" else 0
                        np.testing.assert_allclose(got, theirs, rtol=50 * eps, err_msg=where)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions(name: str, mode: str) -> None:
    for dtype in ROWS[name]["loops"]:
        plain = values(dtype, 42, 4)
        held = hs.array(plain)
        for layout, view in LAYOUTS.items():
            a = view(np, plain)
            if a.size == 0:
                continue
            for axis in (None, *range(-a.ndim, a.ndim)):
                theirs = getattr(np, name)(a, axis)
                ours = np.asarray(getattr(hs, name)(view(hs, held), axis))
                np.testing.assert_array_equal(ours, theirs, err_msg=f"{dtype} {layout} {axis}")


@pytest.mark.parametrize("name", ["add", "maximum", "less", "bitwise_and", "sqrt"])
def test_masked_maps(name: str, mode: str) -> None:
    dtype = "float64" if name != "bitwise_and" else "int32"
    plain = operands(name, dtype)
    held = [hs.array(a) for a in plain]
    mask = np.arange(42) % 3 == 0
    held_mask = hs.array(mask)
    for layout, view in LAYOUTS.items():
        ins = [view(np, a) for a in plain]
        with np.errstate(all="ignore"):
            out_dtype = getattr(np, name)(*ins).dtype
            theirs = np.full(ins[0].shape, 1, out_dtype)
            ours = hs.full(ins[0].shape, 1, out_dtype)
            getattr(np, name)(*ins, out=theirs, where=view(np, mask))
            _core.ufuncs[name](*[view(hs, a) for a in held], out=ours, where=view(hs, held_mask))
            np.testing.assert_array_equal(np.asarray(ours), theirs, err_msg=layout)


def test_casts(mode: str) -> None:
    """astype between all native dtypes, for the values that the target holds."""
    native = list(ROWS["copy"]["loops"])
    for source in native:
        for target in native:
            plain = tame("add", source)
            if np.dtype(source).kind in "iu" and np.dtype(target).kind in "fc":
                plain = plain % 100
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                theirs = plain.astype(target)
                ours = np.asarray(hs.array(plain)[::-1].astype(target))[::-1]
            np.testing.assert_array_equal(ours, theirs, err_msg=f"{source} to {target}")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("pair", [(0.0, -0.0), (-0.0, 0.0)], ids=str)
def test_extremes_of_zeros_are_the_second_one(
    pair: tuple[float, float], name: str, dtype: str
) -> None:
    """As in NumPy's vectors; its other loops for fmax and fmin differ with length and stride."""
    a, b = (hs.full(1000, value, dtype) for value in pair)
    for executor in ("tile", "reference"):
        with hs.config(executor=executor, eager_elements=0):
            found = np.asarray(getattr(hs, name)(a, b))
        assert (np.signbit(found) == np.signbit(pair[1])).all(), executor
