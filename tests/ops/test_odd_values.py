"""Values that are seldom given for an argument, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome

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
