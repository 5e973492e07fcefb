"""copyto under every rule and mask, against NumPy."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs

SOURCES = [3, 3.5, 1j, True, 300, -1, np.int8(3), np.float32(1.5), [1, 2, 3], [[1], [2]]]
MASKS: dict[str, Callable[[Any], Any]] = {
    "true": lambda m: True,
    "one": lambda m: 1,
    "half": lambda m: 0.5,
    "none": lambda m: None,
    "list": lambda m: [1, 0, 1],
    "column": lambda m: [[1], [0]],
    "halves": lambda m: [1.5, 0, 0],
    "deep list": lambda m: [[[1, 0, 1]]],
    "scalar": lambda m: np.int64(1),
    "bools": lambda m: m.array([[True], [False]]),
    "no axes": lambda m: m.array(True),
    "ints": lambda m: m.array([1, 0, 1]),
    "floats": lambda m: m.ones(3),
    "NumPy's": lambda m: np.array([True, False, True]),
    "NumPy's ints": lambda m: np.array([1, 0, 1]),
    "too long": lambda m: m.ones(4, bool),
    "empty": lambda m: m.ones(0, bool),
    "too deep": lambda m: m.ones((1, 1, 2, 3), bool),
}
FROM: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda m, d: d,
    "view": lambda m, d: d[:],
    "reversed": lambda m, d: d[::-1],
    "number": lambda m, d: 5,
    "short": lambda m, d: m.ones(4),
    "deep": lambda m, d: m.ones((2, 2, 3)),
}


def outcome(m: Any, run: Callable[[Any], Any]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found: Any = np.asarray(run(m)).tolist()
        except Exception as error:
            found = type(error), str(error)
    return found, [warning.category for warning in caught]


@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_rules(rule: Any) -> None:
    for dtype, source in itertools.product("bBilefdFD?", SOURCES):

        def run(m: Any, dtype: str = dtype, source: Any = source) -> Any:
            target = m.ones((2, 3), dtype)
            m.copyto(target, source, casting=rule)
            return target

        assert outcome(hs, run) == outcome(np, run), (dtype, source)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("source", FROM)
@pytest.mark.parametrize("writeable", [True, False])
def test_masks(mask: str, source: str, writeable: bool) -> None:
    def run(m: Any) -> Any:
        target = m.arange(6.0).reshape(2, 3)
        target.flags.writeable = writeable
        m.copyto(target, FROM[source](m, target), where=MASKS[mask](m))
        return target

    assert outcome(hs, run) == outcome(np, run)


def test_text_of_a_mask_that_does_not_fit() -> None:
    for m in (hs, np):
        with pytest.raises(ValueError, match=r"where mask from shape \(4,\) into shape \(2,3\)"):
            m.copyto(m.zeros((2, 3)), 1, where=m.ones(4, bool))


FOREIGN: list[Any] = [
    "7",
    ["1", "2", "3"],
    ["x", "2", "3"],
    np.longdouble(5.5),
    np.array([1, 2, 3], "g"),
    np.array([[1, 2, 3]], object),
    np.array([1.5, 2, 3], ">f4"),
    np.array([1, 2], ">i2"),
    np.datetime64(5, "s"),
    None,
]


@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
@pytest.mark.parametrize("rule", ["same_kind", "unsafe"])
@pytest.mark.parametrize("where", [True, [True, False, True], [[True], [False]], [True, False]])
def test_sources_without_kernels(dtype: str, rule: Any, where: Any) -> None:
    for source in FOREIGN:

        def run(m: Any, source: Any = source) -> Any:
            target = m.zeros((2, 3), dtype)
            m.copyto(target, source, casting=rule, where=where)
            return target

        assert repr(outcome(hs, run)) == repr(outcome(np, run)), source  # nan is no equal
