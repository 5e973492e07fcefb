"""Modules that f2py made of Fortran, whoever made them, with hassium's arrays."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import numpy
import pytest

import hassium
from hassium import _core
from packages import wanted

wanted("scipy.linalg")

SCRIPT = """
import importlib.util, sys
{first}
spec = importlib.util.spec_from_file_location("_fblas", {path!r})
blas = importlib.util.module_from_spec(spec)
spec.loader.exec_module(blas)
sys.modules["_fblas"] = blas
{then}
x, y = np.ones(3), np.ones(3)
assert blas.dgemv(2.0, np.eye(3), x, y=y, beta=1.0).tolist() == [3, 3, 3]
assert y.tolist() == [1, 1, 1], y
assert "dgemv" in blas.dgemv.__doc__
"""


@pytest.mark.parametrize("hassium_first", [True, False])
def test_overwrites_only_what_it_may(hassium_first: bool) -> None:
    """A module like those that users make, from a file of SciPy's."""
    import_hassium = "import hassium as np"
    path = importlib.import_module("scipy.linalg._fblas").__file__
    script = SCRIPT.format(
        first=import_hassium if hassium_first else "import scipy.linalg",
        then="" if hassium_first else import_hassium,
        path=path,
    )
    subprocess.run([sys.executable, "-c", script], check=True)


class fortran:
    """A module of Fortran's."""

    def __init__(self) -> None:
        self.data: Any = None

    def __call__(self, x: Any) -> Any:
        assert type(x) is numpy.ndarray
        return x.sum()


def test_modules_of_fortrans() -> None:
    inner, outer = fortran(), fortran()
    outer.data = inner
    routine: Any = _core.exporting(outer)
    assert type(routine.data) is _core.exporting
    routine.data.data = hassium.ones(3)
    assert type(inner.data) is numpy.ndarray
    assert routine.__doc__ == "A module of Fortran's."
    assert routine(hassium.ones(3)) == 3
    assert "data" in dir(routine)
    assert repr(routine) == repr(outer)
