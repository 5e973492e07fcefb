"""How many threads there are, beside other libraries that say so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hassium import _core, config
from packages import wanted

COUNT = "import hassium; print(hassium._core.thread_count())"


def count(**variables: str) -> str:
    others = {name: value for name, value in os.environ.items() if "_THREADS" not in name}
    command = [sys.executable, "-c", COUNT]
    done = subprocess.run(
        command, env=others | variables, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(("openmp", "threads"), [("3", "3"), ("5,2", "5"), (" 1 ", "1")])
def test_openmps_variable_is_the_default(openmp: str, threads: str) -> None:
    assert count(OMP_NUM_THREADS=openmp) == threads


def test_ours_goes_before_openmps() -> None:
    assert count(OMP_NUM_THREADS="3", HASSIUM_THREADS="4") == "4"
    assert count(OMP_NUM_THREADS="many") == count()


def test_an_invalid_variable_is_refused_at_import() -> None:
    invalid = {
        "HASSIUM_THREADS=many": "an integer from 0 to 1024",
        "HASSIUM_SIMD=avx": "one of auto, v2, v3, v4, neon",
        "HASSIUM_LAZY=2": "one of 0, 1",
    }
    for text, allowed in invalid.items():
        name, value = text.split("=")
        with pytest.raises(subprocess.CalledProcessError) as caught:
            count(**{name: value})
        told = caught.value.stderr.splitlines()[-1]
        assert told == f"ImportError: {text}: must be {allowed}"
        with pytest.raises(ValueError, match=f"{value}: must be {allowed}$"):
            config(**{name.removeprefix("HASSIUM_").lower(): value})


def test_threadpoolctl_limits() -> None:
    threadpoolctl = wanted("threadpoolctl")
    with config(threads=3):
        (told,) = (
            library
            for library in threadpoolctl.threadpool_info()
            if library["user_api"] == "hassium"
        )
        assert (told["num_threads"], told["version"]) == (3, _core.__version__)
        with threadpoolctl.threadpool_limits(2):
            assert _core.thread_count() == 2
        assert _core.thread_count() == 3
