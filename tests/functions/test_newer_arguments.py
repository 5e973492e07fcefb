"""What newer versions of NumPy take, refuse or no longer have: whatever this one does, so do we."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs

MASK = [True, False, True]
CALLS: dict[str, Callable[[Any], Any]] = {
    "where, int8": lambda m: m.where(m.array(MASK), m.ones(3, "int8"), 300),
    "where, uint8": lambda m: m.where(m.array(MASK), -1, m.ones(3, "uint8")),
    "where, uint64": lambda m: m.where(m.array(MASK), m.ones(3, "uint64"), -1),
    "where, bool": lambda m: m.where(m.array(MASK), m.array(MASK), 300),
    "where, too large": lambda m: m.where(m.array(MASK), m.ones(3, "int64"), 2**64),
    "sort": lambda m: m.sort(m.array([3, 1, 2]), descending=True),
    "sort, not descending": lambda m: m.sort(m.array([3, 1, 2]), descending=False),
    "sort, stable": lambda m: m.sort(m.array([[3.0, m.nan, 2]]), stable=True, descending=True),
    "argsort": lambda m: m.argsort(m.array([3, 1, 2, 3]), descending=True),
    "argsort, axis": lambda m: m.argsort(m.array([[3, 1], [2, 5]]), axis=0, descending=True),
    "method sort": lambda m: sorted_in_place(m.array([3, 1, 2])),
    "method argsort": lambda m: m.array([3, 1, 2]).argsort(descending=True),
    "sort of the axes": lambda m: m.sort(m.array([[3, 1], [2, 5]]), axis=None, descending=True),
    "unique": lambda m: m.sort(m.unique(m.array([3, 1, 3]), sorted=False)),
    "as_strided": lambda m: m.lib.stride_tricks.as_strided(m.arange(6), (9,), (8,), check_bounds=1),
    "take_along_axis": lambda m: m.take_along_axis(m.arange(6), m.array([1, 2])),
    "row_stack": lambda m: m.row_stack([m.ones(2), m.ones(2)]),
    "trapz": lambda m: m.trapz(m.ones(3)),
    "in1d": lambda m: m.in1d(m.ones(3), m.ones(2)),
    "newshape": lambda m: m.reshape(m.ones(4), newshape=(2, 2)),
    "corrcoef": lambda m: m.corrcoef(m.eye(3), ddof=1),
    "interpolation": lambda m: m.percentile(m.arange(5.0), 30, interpolation="lower"),
    "shape set": lambda m: shaped(m.ones(4)),
    "strides set": lambda m: setattr(m.ones((2, 2)), "strides", (8, 16)),
    "dtype set": lambda m: setattr(m.ones(2), "dtype", m.dtype("int64")),
    "shape set to a wrong one": lambda m: setattr(m.ones((2, 2)), "shape", (5,)),
    "take, out of integers": lambda m: m.take(m.arange(3.0), [1, 2], out=m.zeros(2, int)),
    "take, narrow out": lambda m: m.arange(5).take([1, 2], out=m.zeros(2, "int32")),
    "take, wide out": lambda m: m.arange(3, dtype="int32").take([1, 2], out=m.zeros(2)),
    "compress": lambda m: m.compress([1, 0, 1], m.arange(3.0), out=m.zeros(2, int)),
    "tri": lambda m: m.tri(3, k=1.0),
    "tri of a float": lambda m: m.tri(3.0),
    "tril": lambda m: m.tril(m.ones((3, 3)), 1.0),
    "triu": lambda m: m.triu(m.ones((3, 3)), -1.0),
    "rot90": lambda m: m.rot90(m.ones((2, 3)), 1.0),
    "triu_indices": lambda m: m.triu_indices(3.0),
    "diag": lambda m: m.diag(m.ones(3), 1.0),
    "meshgrid": lambda m: type(m.meshgrid(m.ones(2), copy=False, sparse=True)) is tuple,
    "match": lambda m: matched(m.arange(3)),
    "resize": lambda m: m.ones(4).resize(6),
    "bincount": lambda m: m.bincount(m.ones(3)),
    "eigvals": lambda m: m.linalg.eigvals(m.eye(3)),
    "eigvals of a stack": lambda m: m.linalg.eigvals(m.ones((3, 2, 2))),
    "binomial": lambda m: m.random.default_rng(1).binomial(1000, 0.4, 50),
    "maximum of three": lambda m: m.maximum(m.ones(2), 1, m.zeros(2)),
    "finfo": lambda m: m.finfo(None).eps,
    "flat": lambda m: m.arange(3).flat[1.0],
    "of no number": lambda m: m.ones(2, dtype="generic"),
    "fix": lambda m: m.fix(m.array([1.5, -1.5])),
    "fromstring": lambda m: m.fromstring("1 2", dtype=float, sep=" "),
    "cross": lambda m: m.cross(m.ones(2), m.ones(2)),
    "sum of generator": lambda m: m.sum(x for x in (1, 2)),
    "int of an array": lambda m: int(m.ones((1, 1))),
    "float of an array": lambda m: float(m.ones(1)),
    "nonzero": lambda m: m.nonzero(m.array(3)),
    "out, where": lambda m: m.add(m.ones(2), 1, where=m.array([True, False]), out=m.zeros(2)),
    "matvec": lambda m: m.matvec(m.eye(2), m.ones(2)),
    "round, bool": lambda m: m.round(m.array(MASK)),
    "linalg.cross": lambda m: m.linalg.cross(m.ones(2), m.ones(2)),
    "seed": lambda m: m.random.default_rng(1).choice(5, 3, shuffle=False),
}


def sorted_in_place(array: Any) -> Any:
    array.sort(descending=True)
    return array


def shaped(array: Any) -> Any:
    array.shape = (2, 2)
    return array


def matched(array: Any) -> Any:
    match array:
        case [first, *others]:
            return first + len(others)
    return None


def outcome(module: Any, call: Callable[[Any], Any]) -> tuple[Any, ...]:
    """The result with its dtype, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = np.asarray(call(module))
            found = (str(result.dtype), result.shape, result.tobytes())
        except Exception as error:
            found = (type(error).__name__, str(error).replace("hassium", "numpy"), b"")
    told = sorted((c.category.__name__, str(c.message)) for c in caught)
    return (*found, told)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_this_version_does(call: Callable[[Any], Any]) -> None:
    with hs.config(eager_elements=0):
        assert outcome(hs, call) == outcome(np, call)
