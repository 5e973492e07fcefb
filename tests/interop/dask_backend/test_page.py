"""The programs of docs/dask.md run, and compute what they compute with NumPy's chunks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import hassium
from packages import wanted

PAGE = Path(__file__).parents[3] / "docs/dask.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)


def printed(program: str, folder: Path) -> list[float]:
    """The numbers that a program prints; it has a file, as workers import it."""
    (folder / "program.py").write_text("import hassium\n" + program)
    path = str(Path(hassium.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(folder / "program.py")], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [float(number) for number in re.findall(r"\d+\.\d+", done.stdout)]


def test_programs(tmp_path: Path) -> None:
    wanted("distributed")
    wanted("xarray")
    assert len(PROGRAMS) == 3
    for program in PROGRAMS:
        assert '"array.backend": "hassium"' in program
        found = printed(program, tmp_path)
        expected = printed(program.replace('"hassium"', '"numpy"'), tmp_path)
        assert found
        assert all(abs(a / b - 1) < 1e-7 for a, b in zip(found, expected, strict=True))
