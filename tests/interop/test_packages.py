"""The twenty most used packages with hassium's arrays: each call gives what NumPy's arrays give.

A row a package, in a process of its own: some packages warn of every fork after their import, and
none is to depend on what another imported. The process prints a line for each difference.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script

from interop.packages import PACKAGES


def plain(value: Any) -> Any:
    """The value as NumPy's array, or as Python's object."""
    if hasattr(value, "detach"):
        return value.detach().numpy()
    for name in ("toarray", "to_numpy"):
        if hasattr(value, name):
            return numpy.asarray(getattr(value, name)())
    return value if isinstance(value, (str, tuple, list, bool)) else numpy.asarray(value)


def outcome(case: Callable[[Any], Any], np: Any) -> Any:
    """What the case returns, or the type of what it raises."""
    try:
        return plain(case(np))
    except Exception as error:
        return type(error)


def agree(found: Any, wanted: Any) -> bool:
    """Equal values of one type; floating-point numbers that took other ways through a package may
    differ by rounding."""
    if not isinstance(wanted, numpy.ndarray) or not isinstance(found, numpy.ndarray):
        return type(found) is type(wanted) and repr(found) == repr(wanted)
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind in "fc":
        return numpy.allclose(found, wanted, rtol=1e-5, atol=1e-8, equal_nan=True)
    return numpy.array_equal(found, wanted)


def main(package: str) -> int:
    """Runs a row; the number of differences."""
    warnings.simplefilter("ignore")  # of the packages
    differences = 0
    for name, case in PACKAGES[package].items():
        wanted, found = outcome(case, numpy), outcome(case, hassium)
        if not agree(found, wanted):
            differences += 1
            print(f"{package}: {name}: {found!r} instead of {wanted!r}")
    print(f"{len(PACKAGES[package])} calls")
    return differences


@pytest.mark.parametrize("package", PACKAGES)
def test_as_with_numpys_arrays(package: str) -> None:
    if importlib.util.find_spec(package) is None and "TESTS_REQUIRE_PACKAGES" not in os.environ:
        pytest.skip(f"{package} is not installed")
    command = [sys.executable, __file__, package]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == f"{len(PACKAGES[package])} calls"


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1]), 1))
