"""The names of the package: NumPy's, and a handful of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

import hassium

OWN = {
    "CopyWarning", "cache_clear", "cache_info", "config", "debug", "doctor", "explain", "flush",
    "load_ipython_extension", "reset_stats", "scalar", "stats", "trim", "unload_ipython_extension",
}  # fmt: skip

SCRIPT = """
import hassium as np, numpy
np.median(np.ones(3)), np.einsum("i->", np.ones(3)), np.fft.fft(np.ones(3)), np.r_[1, 2]
np.random.default_rng(1).random(3), np.linalg.svd(np.ones((2, 2)))
names = object.__getattribute__(np, "__dict__")
print(*(name for name in names if name[0] != "_" and not hasattr(numpy, name)))
"""


def test_what_is_listed() -> None:
    assert set(dir(hassium)) == set(dir(numpy)) | OWN
    for name in ("linalg", "random", "fft", "ma", "polynomial"):
        assert dir(getattr(hassium, name)) == dir(getattr(numpy, name))


def test_modules_of_the_implementation_are_no_attributes() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) <= OWN  # tools are found when one asks for them


@pytest.mark.parametrize("name", ["float", "absent", "product"])
def test_a_name_that_numpy_lacks(name: str) -> None:
    """One error, with NumPy's text and what it suggests, or does not."""
    errors = []
    for m in (numpy, hassium):
        with pytest.raises(AttributeError) as caught:
            getattr(m, name)
        errors.append(caught.value)
    theirs, ours = errors
    assert str(ours) == str(theirs).replace("module 'numpy'", "module 'hassium'")
    assert (ours.name, ours.__suppress_context__) == (theirs.name, True)
