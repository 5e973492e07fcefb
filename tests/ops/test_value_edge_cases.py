"""Values that are seldom given for an argument, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome

CASES: dict[str, Callable[[Any], Any]] = {
    "round another byte order": lambda m: m.round(m.array([1.25, 2], ">f8"), 1),
    "round objects": lambda m: m.round(m.array([1.25, 2], "O"), 1),
    "around long doubles": lambda m: m.around(m.array([1.25, 2], "g")),
    "round into more axes": lambda m: m.round(m.arange(3.0), out=m.zeros((1, 3))),
    "round integers into more axes": lambda m: m.round(m.arange(3), 1, m.zeros((1, 3))),
    "round tenths into more axes": lambda m: m.round(m.arange(3.0), 1, m.zeros((1, 3))),
    "round into fewer axes": lambda m: m.round(m.ones((1, 3)), 0, m.zeros(3)),
    "round into more elements": lambda m: m.round(m.ones(3), 0, m.zeros((2, 3))),
    "round at too many decimals": lambda m: m.round(m.arange(3.0), 2**40),
    "round integers at too many decimals": lambda m: m.round(m.arange(3), 2**31),
    "round at too few decimals": lambda m: m.arange(3.0).round(-(2**31) - 1),
    "split by a float": lambda m: m.split(m.arange(3), 2.0)[0],
    "split by a number of an array": lambda m: m.split(m.arange(3), m.array(2))[0],
    "split by equal floats": lambda m: m.split(m.arange(4), 2.0),
    "split in two by an array": lambda m: m.split(m.arange(4), m.array([2])),
    "pad by nothing with none": lambda m: m.pad(m.arange(3), 0, constant_values=None),
    "pad with text": lambda m: m.pad(m.arange(3), 0, constant_values="a"),
    "pad with truth": lambda m: m.pad(m.arange(3), 1, constant_values=True),
    "linspace of a class of dtypes": lambda m: m.linspace(
        m.array([[2.0]]), 2.5, 3, dtype=np.dtypes.Float32DType
    ),
    "linspace of a class of integers": lambda m: m.linspace(2, 9, 3, dtype=np.dtypes.Int16DType),
    "diagflat beside a narrow number": lambda m: m.diagflat(m.arange(24.0), k=np.int8(-1)),
    "diagflat beside a float": lambda m: m.diagflat(m.arange(2.0), k=1.0),
    "full_like of dates": lambda m: m.full_like(m.zeros(2, "M8[D]"), 1.5),
    "full_like of spans": lambda m: m.full_like(m.zeros(2, "m8[D]"), 1.5),
    "full_like of truth with too much": lambda m: m.full_like(m.array(True), 2**64),
    "full_like of truth": lambda m: m.full_like(m.array([True]), -(2**63)),
    "eye of a dtype with axes": lambda m: m.eye(2, 3, 1, dtype=(float, (2,))),
    "identity of a dtype with axes": lambda m: m.identity(1, dtype=(float, (2,))),
    "meshgrid of nothing": lambda m: m.meshgrid(copy=False, sparse=True),
    "vdot of empty lists": lambda m: m.vdot(m.zeros((0, 3), int), [[], [], []]),
    "vdot of an empty list": lambda m: m.vdot([], m.zeros(0, "f4")),
    "select too much": lambda m: m.select([m.array([True])] * 2, [m.array([1.0]), 2**64]),
    "select too little": lambda m: m.select([m.array([True])], [-(2**64)]),
    "select what fits": lambda m: m.select([m.array([True])], [m.array([1.0])], 2**63),
}


@pytest.mark.parametrize("name", CASES)
def test_value(name: str) -> None:
    assert case_outcome(CASES[name], hs) == case_outcome(CASES[name], np)


MODES: list[Any] = [0, 1, 2, None, np.int64(1), True, 1.0, "w", "clip"]


def put(array: Any, *args: Any, **kwargs: Any) -> Any:
    """`array` after its method."""
    array.put(*args, **kwargs)
    return array


@pytest.mark.parametrize("mode", MODES, ids=repr)
def test_modes_of_taking_and_putting(mode: Any) -> None:
    cases: list[Callable[[Any], Any]] = [
        lambda m: m.take(m.arange(3), [5], mode=mode),
        lambda m: m.arange(6.0).reshape(2, 3).take([5, -4], 1, mode=mode),
        lambda m: m.take(m.arange(3), [1], mode=mode),
        lambda m: put(m.arange(3), [5], 9, mode=mode),
        lambda m: put(m.arange(3), m.array([2, 1]), 9, mode=mode),
        lambda m: m.put(m.arange(3), m.array([5]), 9, mode),
    ]
    for case in cases:
        assert case_outcome(case, hs) == case_outcome(case, np)


def test_class_of_what_meshgrid_gives() -> None:
    for copy in (True, False):
        for sparse in (True, False):
            ours, theirs = (m.meshgrid(m.arange(2), copy=copy, sparse=sparse) for m in (hs, np))
            assert type(ours) is type(theirs)


def test_an_output_without_axes_is_given_back_as_a_number() -> None:
    def products(m: Any) -> list[Any]:
        x, three, out = m.arange(3.0), m.array(3.0), m.zeros(())
        results = [(m.dot(x, x, out), float(out)), (m.dot(three, 2, out=out), float(out))]
        results.append((x.dot(x, out=out), float(out)))
        return [(isinstance(found, m.ndarray), float(found), into) for found, into in results]

    assert products(hs) == products(np)
