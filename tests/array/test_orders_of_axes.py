"""The order in which results have their axes in memory, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

AXES = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"argmax along {axis}": lambda m, a, axis=axis: m.argmax(a, axis)  # type: ignore[misc]
        for axis in range(3)
    },
    "argmin": lambda m, a: a.argmin(1),
    "argmin that keeps axes": lambda m, a: a.argmin(1, keepdims=True),
    "sort": lambda m, a: m.sort(a, axis=1),
    "argsort": lambda m, a: m.argsort(a, axis=1),
    "partition": lambda m, a: m.partition(a, 1, axis=0),
    "partition of reversed": lambda m, a: m.partition(a[:, ::-1], 1, axis=0),
    "cumsum": lambda m, a: m.cumsum(a, axis=1),
    "concatenate": lambda m, a: m.concatenate([a, a[::-1]], axis=1),
    "stack": lambda m, a: m.stack([a, a], axis=1),
    "concatenate to what is repeated": lambda m, a: m.concatenate(
        [m.broadcast_to(a[:1], a.shape), a.copy()], axis=2
    ),
    "stack of what is repeated": lambda m, a: m.stack([m.broadcast_to(a[0], a.shape)] * 2),
    "one tile": lambda m, a: m.tile(a, (1, 1, 1, 1)),
    "asarray": lambda m, a: m.asarray(numpy.asarray(a)),
    "array": lambda m, a: m.array(numpy.asarray(a)[:, ::-1]),
}


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_order_of_axes(function: Callable[[Any, Any], Any], axes: tuple[int, ...]) -> None:
    def found(m: Any) -> Any:
        a = m.array((numpy.arange(60.0) % 7).reshape(3, 4, 5)).transpose(axes)
        result = function(m, a)
        moving = [k for k, extent in enumerate(result.shape) if extent > 1]
        return result.tolist(), [result.strides[k] for k in moving]

    assert found(np) == found(numpy)
