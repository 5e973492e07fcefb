"""`out=...` asks ufuncs for arrays where they would give scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs

pytestmark = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="out=... came with NumPy 2.3"
)
CASES: dict[str, Callable[[Any], Any]] = {
    "numbers": lambda m: m.add(1, 2, out=...),
    "NumPy's numbers": lambda m: m.add(np.float32(1), np.float32(2), out=...),
    "a function of a number": lambda m: m.sin(0.5, out=...),
    "arrays without axes": lambda m: m.maximum(m.array(1), m.array(2), out=...),
    "an array with an axis": lambda m: m.add(m.ones(2), 1, out=...),
    "an array without axes in a dtype": lambda m: m.add(m.array(1, "f4"), 2, out=..., dtype="f8"),
    "a mask": lambda m: m.add(m.ones(2), 1, out=..., where=[True, True]),
    "bools": lambda m: m.isnan(m.array(1.0), out=...),
    "two results": lambda m: m.modf(m.array(1.5), out=...)[1],
    "two whole results": lambda m: m.divmod(m.array(5), 3, out=...)[0],
    "reduce": lambda m: m.add.reduce(m.arange(3), out=...),
    "reduce all axes": lambda m: m.add.reduce(m.ones((2, 2)), axis=None, out=...),
    "reduce one of two axes": lambda m: m.add.reduce(m.ones((2, 2)), out=...),
    "reduce from a start": lambda m: m.maximum.reduce(m.array([1, 2]), out=..., initial=5),
    "reduce objects": lambda m: m.add.reduce(np.array([1, 2], object), out=...),
    "reduce what is not associative": lambda m: m.subtract.reduce(m.arange(3), out=...),
    "accumulate": lambda m: m.add.accumulate(m.arange(3), out=...),
    "outer": lambda m: m.add.outer(m.array(1), m.array(2), out=...),
    "matmul": lambda m: m.matmul(m.ones(2), m.ones(2), out=...),
    "vecdot": lambda m: m.vecdot(m.ones(2), m.ones(2), out=...),
    "objects": lambda m: m.add(np.array(1, object), 1, out=...),
    "by position": lambda m: m.add(1, 2, ...),
    "in a tuple": lambda m: m.add(1, 2, out=(...,)),
    "beside an output": lambda m: m.add(m.ones(2), 1, m.zeros(2), out=...),
    "of a method": lambda m: m.arange(3).sum(out=...),
}


def outcome(case: Callable[[Any], Any], module: Any) -> Any:
    try:
        value = case(module)
    except Exception as error:
        return type(error)
    return isinstance(value, hs.ndarray), value.dtype, value.shape, value.tolist()


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name: str) -> None:
    assert outcome(CASES[name], hs) == outcome(CASES[name], np)


def test_arrays_stay_lazy() -> None:
    def fallbacks() -> int:
        return sum(row["count"] for row in hs.stats()["fallbacks"].values())

    before = fallbacks()
    result = hs.add(hs.arange(100_000), 1, out=...)
    assert type(result) is type(hs.ones(1))
    assert type(hs.add.reduce(result, out=...)) is type(hs.ones(1))
    assert fallbacks() == before
