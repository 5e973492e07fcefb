"""The programs by hand for libraries that compile array code: numba, JAX, numexpr.

A file has the name of its program and one function for each library it was written for, named as
the library, with the signature of the program's own `run`; the first argument is NumPy. A program
is written for a library where that is natural: numba takes loops, JAX arrays that are never
assigned to, numexpr one expression at a time. Starting values come from the program itself.
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
# Compilers contract a * b + c and add in other orders; time loops carry such a bit along.
RTOL = {"float64": 1e-10, "float32": 1e-3}


def runner(library: str, program: str) -> Callable[..., Any] | None:
    """The program for a library, or None where it was not written."""
    if not (FOLDER / f"{program}.py").exists():
        return None
    return getattr(importlib.import_module(f"benchmarks.rivals.{program}"), library, None)


def absence(library: str, program: str) -> str | None:
    """Why a library takes no part in a program; None where it does."""
    if runner(library, program) is None:
        return "not written"
    return None if importlib.util.find_spec(library) else "not installed"


def prepare(library: str, threads: int | None) -> None:
    """Before a library is imported: its threads, and float64 where it is not the default."""
    if threads is not None:
        # JAX has no setting: its pool is as large as the set of processors that it may use.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
        os.environ["NUMBA_NUM_THREADS"] = os.environ["NUMEXPR_NUM_THREADS"] = str(threads)
    if library == "jax":
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ["JAX_ENABLE_X64"] = "1"
