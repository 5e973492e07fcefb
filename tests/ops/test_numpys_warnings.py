"""Warnings that NumPy gives, once each and under the errstate of the line that they are of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import hassium as hs


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
@pytest.mark.parametrize("pair", [(np.inf, 0.0), (np.nan, 1.0), (3e4, 3e4)], ids=str)
def test_vdot_tells_of_nothing(pair: tuple[float, float], dtype: str) -> None:
    x, y = (np.full(3, value, dtype) for value in pair)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, expected = hs.vdot(hs.array(x), hs.array(y)), np.vdot(x, y)
        assert str(found.item()) == str(expected.item())
