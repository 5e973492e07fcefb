"""Runs the C++ tests that were built beside the module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from repo.tree import ROOT, build_tree, files, missing

# What a test returns whose instruction-set level the processor lacks.
LACKS_LEVEL = 77
SOURCES = [path for path in files("tests/cpp", suffixes={".cpp"}) if path.stem.startswith("test_")]


def executables(tree: Path, stem: str) -> list[Path]:
    found = (tree / "cpp_tests").glob(f"{stem}*")
    return sorted(path for path in found if path.name.removeprefix(stem) in LEVEL_SUFFIXES)


LEVEL_SUFFIXES = ("", "_v2", "_v3", "_v4", "_neon")


@pytest.mark.parametrize("stem", [path.stem for path in SOURCES])
def test_cpp(stem: str) -> None:
    found = executables(build_tree(), stem)
    if not found:
        missing("the C++ tests were not built (HASSIUM_BUILD_CPP_TESTS is off)")
    for executable in found:
        run = subprocess.run(
            [executable], capture_output=True, text=True, cwd=ROOT, timeout=250, check=False
        )
        assert run.returncode in (0, LACKS_LEVEL), f"{executable.name}\n{run.stdout}{run.stderr}"
