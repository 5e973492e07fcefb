"""Programs on the pages of docs run, and compute what they compute with NumPy for hassium."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hassium
from packages import wanted

DOCS = Path(__file__).parents[2] / "docs"
PACKAGES = {"dask": ("distributed", "xarray"), "processes": ("joblib",), "types": ()}


def printed(program: str, folder: Path) -> list[float]:
    """The numbers that a program prints. It is a file, which its workers import."""
    (folder / "program.py").write_text(program)
    path = str(Path(hassium.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(folder / "program.py")], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [float(number) for number in re.findall(r"\d+\.\d+", done.stdout)]


@pytest.mark.parametrize("page", ["diagnosis", "quickstart"])
def test_programs_of_hassiums_own(page: str, tmp_path: Path) -> None:
    """These look inside, which NumPy cannot; a page's programs go on from one another."""
    text = (DOCS / f"{page}.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(programs) > 1
    printed("\n".join(programs), tmp_path)


@pytest.mark.parametrize("page", PACKAGES)
def test_programs(page: str, tmp_path: Path) -> None:
    for package in PACKAGES[page]:
        wanted(package)
    programs = re.findall(r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(), re.M | re.S)
    assert programs
    for program in programs:
        assert "hassium" in program
        # dask finds the backend of an installed package only, unless it is imported.
        found = printed("import hassium\n" + program, tmp_path)
        expected = printed(program.replace("hassium", "numpy"), tmp_path)
        assert all(abs(a / b - 1) < 1e-7 for a, b in zip(found, expected, strict=True))
