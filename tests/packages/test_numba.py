"""Functions that numba compiles, in programs whose NumPy is hassium."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from hassium.interop import exceptions
from hassium.interop import numba as interop_numba
from hassium.tools import runner
from packages import wanted

PROGRAM = """
import numba
import numpy as np
from numpy import sqrt
from numpy.linalg import norm

weights = np.arange(3.0)

@numba.njit
def fill(n):
    a = np.zeros(n)
    a[1] = sqrt(2.0) * np.pi + norm(a)
    return a

@numba.njit
def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * weights[i]
    return s

@numba.njit("void(float64[:])")
def twice(a):
    for i in range(a.size):
        a[i] *= 2.0

x = np.arange(6.0) + 1.0
before = total(x[::2])
twice(x)
after = x + 1.0
filled = fill(3) + after[:3]
kinds = [total(np.ones(3, kind)) for kind in ("f4", "i8", "?")]
"""


def test_numpys_own_for_a_twin() -> None:
    assert interop_numba.of_numpy(hassium) is numpy
    assert interop_numba.of_numpy(hassium.linalg) is numpy.linalg
    assert interop_numba.of_numpy(hassium.zeros) is numpy.zeros
    assert interop_numba.of_numpy(hassium.fft.rfft) is numpy.fft.rfft
    for other in (sys, len, 3, hassium.config, hassium.float64):
        assert interop_numba.of_numpy(other) is other


def test_who_waits_for_numba_lets_others_be() -> None:
    assert exceptions.Finder().find_spec("colorsys", None) is None


@pytest.mark.filterwarnings("default")  # numba's own
def test_compiled_functions_take_arrays_and_names(tmp_path: Path) -> None:
    wanted("numba")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    expected = runpy.run_path(str(program))
    with runner.redirected():
        found: dict[str, Any] = runpy.run_path(str(program))
    assert type(found["x"]) is type(found["after"]) is hassium.ndarray
    for name in ("before", "x", "after", "filled", "kinds"):
        assert numpy.array_equal(numpy.asarray(found[name]), expected[name])
