"""``python -m hassium --report``: its options, and what it writes where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hassium as np


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hassium", *words]
    paths = [str(Path(np.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


def test_report_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport numpy as np\nx = np.arange(100000.0)\n"
        "y = np.sqrt(x[2:-1:2]) + 1.0\nprint(y.sum() > 0, sys.argv[1:])\nsys.exit(3)\n"
    )
    done = run("--report", "script.py", "word", folder=tmp_path)
    assert done.returncode == 3
    assert done.stdout == "True ['word']\n"
    assert "script.py:4" in done.stderr
    assert "y = np.sqrt(x[2:-1:2]) + 1.0" in done.stderr  # no emoji, which is :-1: elsewhere
    done = run("--report", "--html", "page.html", "script.py", folder=tmp_path)
    assert done.stdout == "True []\n"
    assert "page.html" in done.stderr
    assert "script.py:4" in (tmp_path / "page.html").read_text()
    assert "script.py:4" in run("--report", "-m", "script", folder=tmp_path).stderr
    done = run("--report", "-c", "import numpy as np; np.trim_zeros(np.ones(3))", folder=tmp_path)
    assert "np.trim_zeros has no native form" in done.stderr


COMMANDS: dict[str, tuple[str, ...]] = {
    "no program": (),
    "no file": ("--html",),
    "an option for the file": ("--html", "-m", "script"),
    "an empty file": ("--html=", "script.py"),
    "a program for the file": ("--html", "script.py", "script.py"),
    "no folder": ("--html", "missing/page.html", "script.py"),
    "a folder": ("--html", ".", "script.py"),
    "a value": ("--html", "page.html", "--report=1", "script.py"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_commands_are_refused_before_the_program_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('ran')\n")
    done = run("--report", *COMMANDS[name], folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("python -m hassium --report: ")
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


@pytest.mark.parametrize(
    "words", [("--html", "a.html", "--report"), ("--report", "--html=a.html"), ("--html=a.html",)]
)
def test_where_the_page_goes(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import os; os.mkdir('new'); os.chdir('new')\n")
    done = run(*words, "script.py", folder=tmp_path)
    if "--report" in words:
        assert done.returncode == 0
        assert "<html>" in (tmp_path / "a.html").read_text()
    else:
        assert done.returncode == 2
        assert not (tmp_path / "new").exists()


def test_usage_and_a_page_that_cannot_be_written_at_the_end(tmp_path: Path) -> None:
    assert run("--report", "--help", folder=tmp_path).stdout.startswith("usage: ")
    (tmp_path / "pages").mkdir()
    (tmp_path / "script.py").write_text(
        "import os\nimport numpy as np\nprint((np.arange(1e5) + 1).sum())\nos.rmdir('pages')\n"
    )
    done = run("--report", "--html", "pages/a.html", "script.py", folder=tmp_path)
    assert done.returncode == 0
    assert "cannot write" in done.stderr
    assert "script.py:3" in done.stderr
    assert "Exception ignored" not in done.stderr


def test_programs_that_a_program_starts_report_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, subprocess, sys\nimport numpy as np\n"
        "subprocess.run([sys.executable, '-c', 'import numpy; numpy.ones(9).sum()'], check=True)\n"
        "child = os.fork()\nif child == 0:\n    sys.exit()\nos.waitpid(child, 0)\n"
    )
    done = run("--report", "script.py", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("in array operations") == 1
