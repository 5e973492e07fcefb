"""What dtypes answer is answered without running anything."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest

import hassium as np

GIVEN: list[Any] = [
    numpy.ones(3, "f4"),
    numpy.ones((), "f8"),
    numpy.ones((2, 2), "c8"),
    numpy.ones(2, "u1"),
    numpy.float32(2),
    1,
    2.5,
    "i4",
]


def own(x: Any) -> Any:
    return np.array(x) if isinstance(x, numpy.ndarray) else x


@pytest.mark.parametrize("pair", list(itertools.product(GIVEN, GIVEN)), ids=str)
def test_as_numpy(pair: tuple[Any, Any]) -> None:
    assert np.result_type(*map(own, pair)) == numpy.result_type(*pair)
    assert numpy.result_type(*map(own, pair)) == numpy.result_type(*pair)
    first, second = pair
    for rule in ("safe", "same_kind", "unsafe"):
        to = numpy.result_type(second)
        if isinstance(first, (int, float)) and type(first) in (int, float):
            with pytest.raises(TypeError):
                np.can_cast(first, to, rule)
        else:
            assert np.can_cast(own(first), to, rule) == numpy.can_cast(first, to, rule)
    if not isinstance(first, str):
        assert np.iscomplexobj(own(first)) is numpy.iscomplexobj(first)
        assert np.isrealobj(own(first)) is numpy.isrealobj(first)


def test_pending_work_stays_pending() -> None:
    x = np.ones(1000)
    np.flush()
    np.reset_stats()
    y = x * 2.0 + 1.0
    assert not np.iscomplexobj(y)
    assert numpy.isrealobj(y)
    assert np.result_type(y, 1j) == numpy.complex128
    assert np.can_cast(y, "c16")
    assert not np.isscalar(y)
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["flushes"] == 0
    assert np.isrealobj(y.sum())
    assert np.isscalar(y.sum())
    assert float(y[0]) == 3.0


def test_names_that_numpy_dropped() -> None:
    for m in (np, numpy):
        with pytest.raises(AttributeError, match=r"Use `np\.float64` instead"):
            m.float_  # noqa: B018
