"""Functions of arrays whose dtypes have no kernels give what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome

CASES: dict[str, Callable[[Any], Any]] = {
    "text equal to numbers": lambda m: m.array([1, 2]) == np.array(["1", "b"]),
    "text unequal to numbers": lambda m: m.array([[1.0], [2.0]]) != np.array(["1", "b"]),
    "a list of text equal to numbers": lambda m: m.array([1, 2]) == ["1", "b"],
    "text less than numbers": lambda m: m.array([1, 2]) < np.array(["1", "b"]),
    "text of another shape": lambda m: m.array([1, 2]) == np.array(["1", "b", "c"]),
    "eye of text": lambda m: m.eye(2, 3, 1, dtype="U3"),
    "eye of objects": lambda m: m.eye(2, dtype=object),
    "identity of long doubles": lambda m: m.identity(2, dtype="g"),
    "linspace of objects": lambda m: m.linspace(0, np.array(4, object), 3),
    "mean of objects": lambda m: m.mean(np.array([1, 2, 3], object)),
    "var of objects": lambda m: m.var(np.array([[1, 2, 4]], object), axis=1),
    "std of objects": lambda m: m.std(np.array([1, 2, 4], object), ddof=1),
    "mean of long doubles": lambda m: m.mean(np.ones((2, 3), "g"), axis=0, keepdims=True),
    "vdot of objects": lambda m: m.vdot(np.array([1j, 2], object), np.array([1j, 2], object)),
    "count of records": lambda m: m.count_nonzero(
        np.array([(0, [0, 1]), (0, [0, 0])], [("a", "i4"), ("b", "i4", (2,))])
    ),
    "count of text": lambda m: m.count_nonzero(np.array([["a", ""], ["", ""]]), axis=0),
}


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name: str) -> None:
    assert case_outcome(CASES[name], hs) == case_outcome(CASES[name], np)


@pytest.mark.parametrize("dtype", ["O", "U2", "g", ">i4", "m8[s]"])
def test_putmask_of_dtypes_without_kernels(dtype: str) -> None:
    ours, theirs = (np.array([1, 2, 3]).astype(dtype) for _ in range(2))
    value = np.array(7).astype(dtype)
    hs.putmask(ours, hs.array([True, False, True]), value)
    np.putmask(theirs, [True, False, True], value)
    assert ours.tolist() == theirs.tolist()
