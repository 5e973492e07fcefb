"""Warnings are told at the line of the program, as NumPy's: Python shows some for scripts alone."""

from __future__ import annotations

import contextlib
import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium as np

CALLS: dict[str, Callable[[Any], Any]] = {
    "cross": lambda m: m.cross(m.ones(2), m.ones(2)),
    "cross of lists": lambda m: m.cross([1, 2], [3, 4]),
    "cov": lambda m: m.cov(m.ones((2, 1))),
    "cov with weights": lambda m: m.cov(m.ones((2, 1)), fweights=m.array([1])),
    "polyfit": lambda m: m.polyfit(m.ones(3), m.arange(3.0), 2),
    "nanmax": lambda m: m.nanmax([numpy.nan]),
    "nanmean": lambda m: m.nanmean(m.full(3, numpy.nan)),
    "nanvar of text's kind": lambda m: m.nanvar(numpy.array([numpy.nan], "g")),
    "histogram": lambda m: m.histogram(m.array([True, False])),
    "a cast that drops parts": lambda m: m.copyto(m.ones(3), m.ones(3) * 1j, "unsafe"),
    "samples": lambda m: m.linspace(0, 1j, 3),
    "a ufunc in another dtype": lambda m: m.add(1j, m.ones(3) * 1j, dtype="f4", casting="unsafe"),
    "a draw": lambda m: m.random.random_integers(3),
    "a name": lambda m: m.chararray,
    "a submodule's name": lambda m: m.core.multiarray,
}


def told(case: Callable[[Any], Any], module: Any) -> list[tuple[Any, ...]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            with contextlib.suppress(ValueError, AttributeError):  # no longer warned of
                case(module)
    return [(w.category, str(w.message)) for w in caught if w.filename == __file__]


@pytest.mark.parametrize("case", CALLS.values(), ids=CALLS)
def test_warnings_are_told_at_the_line_that_calls(case: Callable[[Any], Any]) -> None:
    theirs = told(case, numpy)
    # Conditions inside of what NumPy writes in Python are told at its own lines there.
    assert [warning for warning in told(case, np) if warning in theirs] == theirs


def test_names_that_numpy_lacks() -> None:
    with pytest.raises(AttributeError, match="module 'hassium' has no attribute 'nothing'"):
        np.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="nothing"):
        np.fft.nothing  # noqa: B018
    assert inspect.isbuiltin(np.__getattr__)


def test_warnings_of_imports_are_told_at_the_import(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(
        "import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)\n"
    )
    program = tmp_path / "program.py"
    program.write_text("import numpy.matlib\n\nimport old\n")
    lines = []
    for before in ([], ["-m", "hassium"]):
        command = [sys.executable, "-Wdefault", *before, str(program)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        lines.append([line for line in run.stderr.splitlines() if line.startswith(str(program))])
    assert len(lines[0]) == 2
    assert lines[0] == lines[1]
