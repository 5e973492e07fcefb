"""Elements repeated a few times: rows of the nest that are one element each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

pytestmark = pytest.mark.usefixtures("simd_level")

DTYPES = ["?", "u1", "f2", "f4", "f8", "c16"]
LIES: dict[str, Callable[[Any], Any]] = {
    "whole": lambda a: a,
    "turned": lambda a: a.T,
    "second": lambda a: a[:, ::2],
    "backward": lambda a: a[::-1, ::-1],
    "one column": lambda a: a[:, 3],
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("times", [0, 1, 2, 3, 4, 5, 15, 16, 40])
@pytest.mark.parametrize("dtype", DTYPES)
def test_repeats(dtype: str, times: int, lie: str) -> None:
    memory = numpy.random.default_rng(times).integers(0, 2 if dtype == "?" else 99, (61, 37))
    a = LIES[lie](memory.astype(dtype))
    x = LIES[lie](np.array(memory.astype(dtype)))
    for axis in (None, 0, a.ndim - 1):
        found, wanted = np.repeat(x, times, axis=axis), numpy.repeat(a, times, axis=axis)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        assert (found.to_numpy() == wanted).all()


@pytest.mark.parametrize("times", [2, 3, 4, 7])
def test_repeats_in_the_midst_of_work(times: int) -> None:
    a = numpy.random.default_rng(times).integers(-99, 99, (50, 23)) * 0.25
    x = np.array(a)

    def work(m: Any, v: Any) -> Any:
        wide = m.repeat(v * 2.0, times, axis=1)
        return wide + m.repeat(v, times, axis=1) * m.arange(times * v.shape[1])

    assert (work(np, x).to_numpy() == work(numpy, a)).all()
