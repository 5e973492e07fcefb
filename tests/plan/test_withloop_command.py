"""``python -m hassium.withloop``: what it prints, draws and refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hassium import debug
from hassium.withloop import command
from plan.generator_sets import FIG3

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def fig3(tmp_path: Path) -> Path:
    path = tmp_path / "fig3.txt"
    path.write_text(FIG3)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert command.main(list(words)) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def test_all_phases(capsys: pytest.CaptureFixture[str], fig3: Path) -> None:
    dumps = debug.generators(FIG3)
    assert tuple(dumps) == command.PHASES
    shown = "\n".join(f"# {name}\n{dump}" for name, dump in dumps.items())
    assert run(capsys, str(fig3)) == shown


def test_one_phase(capsys: pytest.CaptureFixture[str], fig3: Path) -> None:
    words = ["--phase", "merging", "--segmentation", "cubes", "--tiles", "100,80"]
    dump = debug.generators(FIG3, "cubes", [[100, 80]])["merging"]
    assert run(capsys, str(fig3), *words) == f"# merging\n{dump}"


def test_standard_input() -> None:
    words = [sys.executable, "-m", "hassium.withloop", "-", "--phase", "cubes"]
    done = subprocess.run(words, input=FIG3, capture_output=True, text=True, check=True)
    assert done.stdout == f"# cubes\n{debug.generators(FIG3)['cubes']}"


def test_picture(capsys: pytest.CaptureFixture[str], fig3: Path, tmp_path: Path) -> None:
    run(capsys, str(fig3), "--svg")
    root = ElementTree.parse(fig3.with_suffix(".svg")).getroot()
    titles = [text.text for text in root.findall(f"{SVG}text")]
    assert titles == [*command.PHASES, "op1", "op2"]
    out = tmp_path / "cubes.svg"
    run(capsys, str(fig3), "--phase", "cubes", "--svg", str(out))
    drawn = ElementTree.parse(out).getroot()
    # One pattern for each grid, and a legend.
    assert len(drawn.findall(f"{SVG}pattern")) == 5
    assert len(drawn.findall(f"{SVG}rect")) == 5 + 2


def test_pictures_of_one_axis(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    path.write_text("shape [7]\n[0] -> [7] step [3]: a\n")
    run(capsys, str(path), "--svg", "--phase", "fitting")
    pattern = ElementTree.parse(path.with_suffix(".svg")).getroot().find(f"{SVG}pattern")
    assert pattern is not None
    assert float(pattern.get("width", "0")) == 3 * 24


REFUSED = {
    "a malformed text": ("shape 3", [], "bad list '3'"),
    "an unknown segmentation": (FIG3, ["--segmentation", "none"], "unknown segmentation 'none'"),
    "an unknown phase": (FIG3, ["--phase", "last"], "invalid choice: 'last'"),
    "tiles of another rank": (FIG3, ["--tiles", "4"], "an extent of at least 1 for each axis"),
    "tiles in words": (FIG3, ["--tiles", "four"], "invalid extents value: 'four'"),
    "a picture without a place": (FIG3, ["--svg"], "--svg needs a file to write"),
    "a picture of three axes": ("shape [1,1,1]", ["--svg", "x.svg"], "one or two axes, not 3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    text, words, message = REFUSED[case]
    line = [sys.executable, "-m", "hassium.withloop", "-", *words]
    done = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main([str(tmp_path / "missing.txt")]) == 2
    assert "missing.txt" in capsys.readouterr().err
