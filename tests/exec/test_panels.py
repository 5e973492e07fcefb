"""Panels of rows under kept axes that do not merge: the bits of the operations apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    """Between 1 and 4."""
    x = 1 + numpy.abs(numpy.random.default_rng(sum(shape)).normal(size=shape))
    return x.clip(1, 4).astype(dtype)


ROWS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "weighed": lambda np, x, w: (x * w).sum(-1) * 2 + w[..., 0],
    "softmax": lambda np, x, w: (
        np.exp(x * w - (x * w).max(-1, keepdims=True))
        / np.exp(x * w - (x * w).max(-1, keepdims=True)).sum(-1, keepdims=True)
    ),
    "centred": lambda np, x, w: x * w - (x + w).mean(-1, keepdims=True),
    "longer sums": lambda np, x, w: (x - w) / x.sum(-1, dtype="f8", keepdims=True),
    "two": lambda np, x, w: ((x * w).sum(-1) - (x + w).max(-1))[..., None] * w,
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4"])
@pytest.mark.parametrize(
    "shape",
    [(1, 3, 3), (2, 3, 5), (130, 2, 8), (997, 6, 6), (50, 3, 700), (7, 400, 9), (6, 5, 4, 3)],
)
def test_rows_under_axes_that_do_not_merge(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    """A weight that the second axis shares: panels are cut from an outer axis."""
    x = draw(shape, dtype)
    w = x[:, :1] * 0.5 + 1
    program = ROWS[name]
    with numpy.errstate(all="ignore"):
        expected = program(numpy, x, w)
        ours, weight = hassium.asarray(x), hassium.asarray(w)
        with hassium.config(partitioner="singleton"):
            apart = numpy.asarray(program(hassium, ours, weight))
        for settings in ({"threads": 1}, {"threads": 3, "parallelize": "on"}, {"verify": True}):
            with hassium.config(**settings):
                found = numpy.asarray(program(hassium, ours, weight))
            assert found.tobytes() == apart.tobytes()
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    tolerance = 2e-2 if dtype == "f2" else 1e-4
    assert numpy.allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_panels_are_cut_where_they_hold_many_rows() -> None:
    x, w = hassium.ones((5000, 3, 4)), hassium.ones((5000, 1, 4))
    with hassium.debug.capture() as flushes:
        numpy.asarray((x * w).sum(-1) * x[..., 0])
    plans = "".join(flush.plan for flush in flushes)
    assert "rows 5000 in panels (" in plans
