"""The versions of Python and NumPy that are declared, refused and tested are the same ones."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from typing import Any

import hassium
from repo.tree import ROOT


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, Any] = tomllib.load(file)
    return found


def pythons() -> list[str]:
    """The versions of Python among the classifiers, oldest first."""
    classifiers = "\n".join(project()["project"]["classifiers"])
    return re.findall(r"^Programming Language :: Python :: (3\.\d+)$", classifiers, re.M)


def test_the_oldest_numpy_is_the_declared_one() -> None:
    oldest = hassium._OLDEST_NUMPY
    (declared,) = project()["project"]["dependencies"]
    assert f"{declared}.0" == f"numpy>={oldest}"
    assert declared in project()["build-system"]["requires"]


def refusal(code: str) -> str:
    """The last line that a Python writes which fails to import hassium."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    return run.stderr.splitlines()[-1]


def test_an_older_numpy_is_refused() -> None:
    code = "import numpy; numpy.__version__ = '2.1.3'; import hassium"
    wanted = f"hassium needs NumPy {hassium._OLDEST_NUMPY} or newer, and this is NumPy 2.1.3"
    assert refusal(code) == f"ImportError: {wanted}"


def test_a_python_without_the_gil_is_refused() -> None:
    code = "import sys; sys._is_gil_enabled = lambda: False; import hassium"
    assert refusal(code).startswith("ImportError: hassium needs the GIL")


def test_the_pythons_are_the_declared_ones() -> None:
    major, newest = map(int, pythons()[-1].split("."))
    wanted = f">={pythons()[0]},<{major}.{newest + 1}"
    assert project()["project"]["requires-python"] == wanted
    frames = (ROOT / "src/bind/module/python_frames.hpp").read_text()
    assert f"#if PY_VERSION_HEX >= 0x{major:02X}{newest + 1:02X}0000\n#error" in frames
    assert project()["tool"]["mypy"]["python_version"] == pythons()[0]
    assert project()["tool"]["ruff"]["target-version"] == f"py{pythons()[0].replace('.', '')}"


def test_ci_runs_the_oldest_and_the_newest() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    cells = re.findall(r'\{python: "(.+)", numpy: "?([^"}]+)"?\}', text)
    assert cells == [(pythons()[0], hassium._OLDEST_NUMPY), (pythons()[-1], "newest")]


def test_wheels_are_made_for_all() -> None:
    text = (ROOT / ".github/workflows/wheels.yml").read_text()
    (listed,) = re.findall(r"python: \[(.+)\]", text)
    assert re.findall(r"[\d.]+", listed) == pythons()


def test_the_citation_names_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.+)$", text, re.M) == [project()["project"]["version"]]
