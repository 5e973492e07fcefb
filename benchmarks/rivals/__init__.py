"""Hand-written versions of the programs for compilers of array code: numba, JAX, numexpr.

A file has the name of its program and one function for each supported library, named as the
library, with the signature of the program's own `run`; the first argument is NumPy. A program is
written for a library if that is natural: numba compiles loops, JAX arrays that are never assigned
to, numexpr one expression at a time. Starting values come from the program itself.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBRARIES = ("numba", "jax", "numexpr")
FOLDER = Path(__file__).resolve().parent
# Compilers contract a * b + c and add in other orders; time loops accumulate such differences.
RTOL = {"float64": 1e-10, "float32": 1e-3}


def runner(library: str, program: str) -> Callable[..., Any] | None:
    """Returns the program for a library, or None if it was not written."""
    if not (FOLDER / f"{program}.py").exists():
        return None
    return getattr(importlib.import_module(f"benchmarks.rivals.{program}"), library, None)


def absence(library: str, program: str) -> str | None:
    """Returns why a library does not run a program, or None if it does."""
    if runner(library, program) is None:
        return "not written"
    return None if importlib.util.find_spec(library) else "not installed"


def prepare(library: str, threads: int | None) -> None:
    """Sets threads, and float64 where it is not the default; called before the library's import."""
    if threads is not None:
        # JAX has no setting: its pool is as large as the set of allowed processors.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
        os.environ["NUMBA_NUM_THREADS"] = os.environ["NUMEXPR_NUM_THREADS"] = str(threads)
    if library == "jax":
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ["JAX_ENABLE_X64"] = "1"
