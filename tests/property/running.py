"""Runs of random programs with NumPy and with hassium, and their comparison."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy

SCRIPT = """import numpy
import hassium


def raises(name, line, space):
    try:
        exec(line, space)
    except Exception as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        assert name in names or name == "UFuncTypeError", (line, error)
    else:
        raise AssertionError(line + " raises nothing")


def run(np, flush):
    space = dict(np=np, numpy=numpy, flush=flush)
    space["raises"] = lambda name, line: raises(name, line, space)
    with numpy.errstate(all="ignore"):
        exec(PROGRAM, space)
    return {k: numpy.array(v) for k, v in space.items() if k[0] in "verx" and k[1:].isdigit()}


PROGRAM = r'''
@PROGRAM@
'''
expected = run(numpy, lambda: None)
with hassium.config(@ENGINE@):
    found = run(hassium, hassium.flush)
for name, want in expected.items():
    got = found[name]
    assert (got.dtype, got.shape) == (want.dtype, want.shape), f"{name} differs: {got!r}, {want!r}"
    inexact = want.dtype.kind in "fc"
    same = numpy.allclose(want, got, 1e-3, 0, True) if inexact else numpy.array_equal(want, got)
    assert same, f"{name} differs: {got!r}, NumPy has {want!r}"
"""


def script(lines: list[str], engine: dict[str, Any]) -> str:
    """A program as a file that runs by itself and fails where the two libraries differ."""
    words = ", ".join(f"{name}={value!r}" for name, value in engine.items())
    return SCRIPT.replace("@PROGRAM@", "\n".join(lines)).replace("@ENGINE@", words)


def run(lines: list[str], module: Any, flush: Callable[[], Any]) -> dict[str, Any]:
    """Runs the program with ``np`` meaning `module`; returns its variables as NumPy arrays."""
    space: dict[str, Any] = {"np": module, "numpy": numpy, "flush": flush}

    def raises(name: str, line: str) -> None:
        try:
            exec(line, space)
        except Exception as error:  # of any type: which one is the question
            names = {kind.__name__ for kind in type(error).__mro__}
            assert name in names or (name == "UFuncTypeError" and "TypeError" in names), (  # noqa: PT017
                f"{line}: {type(error).__name__}: {error}, NumPy raises {name}"
            )
            return
        raise AssertionError(f"{line}: NumPy raises {name}, hassium nothing")

    space["raises"] = raises
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            exec(line, space)
        return {
            name: numpy.array(value)
            for name, value in space.items()
            if name[0] in "verx" and name[1:].isdigit()
        }


def compare(expected: dict[str, Any], found: dict[str, Any], exact: bool) -> None:
    """Asserts that both runs left the same variables behind."""
    assert expected.keys() == found.keys()
    for name, want in expected.items():
        got = found[name]
        assert want.dtype == got.dtype, f"{name}: dtype {got.dtype}, NumPy {want.dtype}"
        assert want.shape == got.shape, f"{name}: shape {got.shape}, NumPy {want.shape}"
        if exact or want.dtype.kind not in "fc":
            same = numpy.array_equal(want, got, equal_nan=want.dtype.kind in "fc")
        else:
            rtol = {2: 2e-3, 4: 1e-6}.get(want.real.dtype.itemsize, 1e-13)
            same = numpy.allclose(want, got, rtol=rtol, atol=0, equal_nan=True)
        assert same, f"{name}: {got!r}, NumPy {want!r}"
