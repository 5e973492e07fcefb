"""Functions and methods that NumPy has too have a text, and tell their parameters if NumPy's do."""

from __future__ import annotations

import inspect
import operator
import pydoc
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest

import hassium as hs

ARRAY = types.SimpleNamespace(**vars(hs.ndarray))  # as they are: by name they are functions
SCALAR = hs.scalar
UFUNC = type(hs.add)
OF_PYTHON = (
    "argsort clip dot mean nonzero put repeat round searchsorted sort std take trace var"
).split()
OWNERS: dict[str, tuple[Any, Any]] = {
    "module": (hs, np),
    "ndarray": (ARRAY, np.ndarray),
    "scalar": (SCALAR, np.generic),
    "ufunc": (UFUNC, np.ufunc),
}


def parameters(function: Any) -> list[str] | None:
    try:
        return list(inspect.signature(function).parameters)
    except (AttributeError, ValueError):
        return None


@pytest.mark.parametrize("owner", OWNERS)
def test_text(owner: str) -> None:
    ours, theirs = OWNERS[owner]
    names = [name for name in dir(theirs) if name[0] != "_" and hasattr(ours, name)]
    without = [
        name
        for name in names
        if callable(getattr(ours, name))
        and getattr(theirs, name).__doc__
        and not getattr(ours, name).__doc__
    ]
    assert without == []


@pytest.mark.skipif(
    parameters(np.zeros) is None, reason="compiled functions tell parameters since NumPy 2.4"
)
@pytest.mark.parametrize("owner", OWNERS)
def test_parameters(owner: str) -> None:
    ours, theirs = OWNERS[owner]
    for name in (name for name in dir(theirs) if name[0] != "_"):
        function, numpys = getattr(ours, name, None), getattr(theirs, name)
        compiled = inspect.isbuiltin(function) or type(function) is type(ARRAY.sum)
        if compiled and parameters(numpys) is not None:
            assert parameters(function) == parameters(numpys), name


@pytest.mark.parametrize("module", ["", "linalg", "fft", "random"])
def test_parameters_of_functions(module: str) -> None:
    ours, theirs = (getattr(m, module) if module else m for m in (hs, np))
    for name in (name for name in dir(theirs) if name[0] != "_"):
        function = getattr(theirs, name)
        if not callable(function) or isinstance(function, (type, np.ufunc)):
            continue
        told = parameters(function)
        assert told is None or parameters(getattr(ours, name)) == told, name


def shown(function: Any) -> tuple[str, Any]:
    """What inspect tells of the parameters, and the text that NumPy's functions in C carry."""
    try:
        signature = str(inspect.signature(function))
    except ValueError:
        signature = "none"
    return signature, getattr(function, "__text_signature__", None)


@pytest.mark.parametrize("holder", ["", "linalg", "fft", "ma", "ndarray", "random"])
def test_signatures_are_numpys(holder: str) -> None:
    ours, theirs = (getattr(m, holder) if holder else m for m in (hs, np))
    different = []
    for name in (name for name in dir(theirs) if name[0] != "_"):
        function = getattr(theirs, name)
        if not callable(function) or isinstance(function, type):
            continue
        if shown(getattr(ours, name)) != shown(function):
            different.append(name)
        if hasattr(function, "__signature__") != hasattr(getattr(ours, name), "__signature__"):
            different.append(name)
    assert different == []


CLASSES = ["Generator", "RandomState", "SeedSequence", "BitGenerator"]
CLASSES += ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]


@pytest.mark.parametrize("name", ["ndarray", *(f"random.{kind}" for kind in CLASSES)])
def test_signatures_of_classes_are_numpys(name: str) -> None:
    """Of the class itself, and of its methods named on it."""
    ours, theirs = (operator.attrgetter(name)(m) for m in (hs, np))
    assert shown(ours)[0] == shown(theirs)[0]
    names = [key for key in dir(theirs) if key[0] != "_" and callable(getattr(theirs, key))]
    assert [key for key in names if shown(getattr(ours, key)) != shown(getattr(theirs, key))] == []


@pytest.mark.parametrize("name", ["Generator", "PCG64"])
def test_signatures_of_derived_classes_are_their_own(name: str) -> None:
    kind = getattr(hs.random, name)

    def init(self: Any, first: int, second: int = 2) -> None: ...

    assert shown(type("Same", (kind,), {}))[0] == shown(getattr(np.random, name))[0]
    own = inspect.signature(type("Other", (kind,), {"__init__": init}))
    assert list(own.parameters) == ["first", "second"]


# Compiled methods of a Generator, which have no signature.
COMPILED = {"random", "standard_normal", "standard_exponential", "uniform"}


@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
def test_signatures_of_draws_are_numpys(make: str) -> None:
    ours, theirs = (getattr(m.random, make)(1) for m in (hs, np))
    names = {key for key in dir(theirs) if key[0] != "_" and callable(getattr(theirs, key))}
    if make == "default_rng":
        names -= COMPILED
    assert names
    for key in names:
        assert shown(getattr(ours, key))[0] == shown(getattr(theirs, key))[0], key


def test_signatures_of_methods_of_arrays() -> None:
    array, numpys = hs.ones(2), np.ones(2)
    names = [
        name for name in OF_PYTHON if shown(getattr(array, name)) != shown(getattr(numpys, name))
    ]
    assert names == []


def text_of(function: Any) -> str:
    return inspect.cleandoc(function.__doc__ or "")


def with_another_text(holder: str) -> list[str]:
    """Names whose text is not NumPy's with a line of ours."""
    ours, theirs = (getattr(m, holder) if holder else m for m in (hs, np))
    ours_own = ARRAY if holder == "ndarray" else ours
    different = []
    for name in (name for name in dir(theirs) if name[0] != "_"):
        function = getattr(theirs, name)
        given = getattr(ours, name, None)
        if given is function or isinstance(given, type) or not text_of(function):
            continue
        if not (inspect.isroutine(given) or isinstance(given, UFUNC)):
            continue
        for found in (given, getattr(ours_own, name)):
            head, _, line = text_of(found).rpartition("\n\n")
            if head.rstrip() != text_of(function).rstrip() or not line.startswith("hassium: "):
                different.append(name)
    return sorted(set(different))


@pytest.mark.parametrize("holder", ["", "linalg", "fft", "ndarray", "ufunc"])
def test_documentation_is_numpys_with_a_line_of_ours(holder: str) -> None:
    """``help(np.sum)`` says what NumPy's says, and at the end how the function runs here.

    In a new process: SciPy adds to the text of NumPy's `sinc` when it is imported.
    """
    code = f"import runpy; print(runpy.run_path({__file__!r})['with_another_text']({holder!r}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_line_tells_how_it_runs() -> None:
    lines = {
        name: text_of(getattr(hs, name)).splitlines()[-1] for name in ("add", "sum", "trim_zeros")
    }
    assert lines["add"] == "hassium: native."
    assert lines["sum"].startswith("hassium: native. ")
    assert lines["trim_zeros"].startswith("hassium: no native form")
    assert "hassium: native" in pydoc.render_doc(hs.ones(2).mean)
    assert "Parameters" in pydoc.render_doc(hs.sum)
    for text in (pydoc.plain(pydoc.render_doc(hs.ndarray)), hs.ndarray.__doc__):
        assert "An array object represents a multidimensional, homogeneous array" in text
        assert "hassium: operations on an array are recorded" in text
