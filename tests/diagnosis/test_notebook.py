"""``%load_ext hassium`` in IPython: imports, magics, reports. Notebooks: tests/packages."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import hassium
from hassium.tools import runner
from packages import wanted


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    interactive = wanted("IPython.core.interactiveshell").InteractiveShell
    monkeypatch.setattr(runner, "_watched", True)  # audit hooks stay for ever
    monkeypatch.setitem(vars(builtins), "__IPYTHON__", True)  # which other packages ask for
    found = interactive.instance()
    found.user_ns["__name__"] = "__main__"
    found.run_line_magic("load_ext", "hassium")
    try:
        yield found
    finally:
        found.run_line_magic("unload_ext", "hassium")
        interactive.clear_instance()
        assert not runner.is_installed()


def run(shell: Any, cell: str) -> Any:
    result = shell.run_cell(cell, store_history=True)
    result.raise_error()
    return result.result


def test_cells_import_hassium(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shell, "import numpy as np\nnp") is hassium
    assert run(shell, "from numpy import linalg\nlinalg") is hassium.linalg
    capsys.readouterr()
    run(shell, "%hassium off")
    assert "linalg, np: still hassium" in capsys.readouterr().out
    assert run(shell, "import numpy as np\nnp") is numpy
    run(shell, "%hassium")
    assert "gives NumPy" in capsys.readouterr().out
    run(shell, "%hassium on")
    assert "np: still NumPy" in capsys.readouterr().out
    assert run(shell, "import numpy as np\nnp") is hassium


def test_one_cell(shell: Any) -> None:
    run(shell, "%hassium off")
    run(shell, "import numpy as np")
    cell = "%%hassium\nimport numpy\nfound = np, numpy\nx = np.arange(5.0)\n"
    run(shell, cell)
    assert shell.user_ns["found"] == (hassium, hassium)
    assert isinstance(shell.user_ns["x"], hassium.ndarray)
    assert not isinstance(shell.user_ns["x"], numpy.ndarray)
    assert shell.user_ns["np"] is shell.user_ns["numpy"] is numpy
    assert not runner.is_installed()


def test_a_cell_explained(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, "import numpy as np")
    capsys.readouterr()
    run(shell, "%%explain\nx = np.arange(1000.0)\ny = (x * 2.0).sum()\n\nfloat(y)")
    text = capsys.readouterr().out
    assert "999000.0" in text
    number = shell.execution_count - 1
    for line in (2, 3):
        assert f"Cell In[{number}], line {line}" in text
    assert "y = (x * 2.0).sum()" in text


@pytest.mark.parametrize("magic", ["%%explain", "%%hassium", "%%hassium\n%%explain"])
def test_a_semicolon_hides_the_value(
    shell: Any, capsys: pytest.CaptureFixture[str], magic: str
) -> None:
    for last, shown in (("'va' + 'lue'", True), ("'va' + 'lue';", False)):
        run(shell, f"{magic}\n{last}")
        assert ("'value'" in capsys.readouterr().out) == shown


@pytest.mark.parametrize("magic", ["%%explain", "%%hassium"])
def test_cells_await(shell: Any, magic: str) -> None:
    assert run(shell, f"{magic}\nimport asyncio\nawait asyncio.sleep(0.01, 5)") == 5


def test_a_magic_called_by_a_program(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("explain", "", "import numpy as np\nx = float(np.arange(1000.0).sum())")
    assert "np.arange(1000.0).sum()" in capsys.readouterr().out
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("hassium", "", "1 / 0")


def test_the_extension_is_reloaded(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, "%reload_ext hassium")
    assert run(shell, "import numpy as np\nnp") is hassium
    run(shell, "%%explain\ny = (np.arange(1000.0) * 2.0).sum()")
    assert capsys.readouterr().out.count("line 2") == 1


def test_operations_without_memory_stay_pending(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those from before the cell fail where they are read; the cell's own fail at its end."""
    flush = hassium._core.flush
    lacking = iter([True, True, False, True])

    def flush_some() -> None:
        flush()
        if next(lacking):
            raise MemoryError

    monkeypatch.setattr(hassium._core, "flush", flush_some)
    assert run(shell, "%%explain\nimport numpy as np\nfloat(np.arange(9.0).sum())") == 36.0
    with pytest.raises(MemoryError), hassium.explain():
        pass


def test_errors_are_those_of_the_cell(shell: Any) -> None:
    for magic in ("explain", "hassium"):
        result = shell.run_cell(f"%%{magic}\n1 / 0", store_history=True)
        assert isinstance(result.error_in_exec, ZeroDivisionError)
        result = shell.run_cell(f"%%{magic}\n1 /", store_history=True)
        assert isinstance(result.error_before_exec, SyntaxError)
    result = shell.run_cell("%%hassium on\n1", store_history=True)
    assert isinstance(result.error_in_exec, ValueError)
    with pytest.raises(ValueError, match="usage: %hassium"):
        shell.run_line_magic("hassium", "maybe")


def test_modules_of_installed_packages_keep_numpy(shell: Any) -> None:
    run(shell, "import scipy.special as special")
    assert sys.modules["scipy"].__dict__.get("np", numpy) is numpy


def test_cells_have_the_names_of_tracebacks(shell: Any) -> None:
    shell.push({"np": hassium})
    run(shell, "with np.explain() as report:\n    y = np.arange(1e3) * 2.0\n    np.flush()")
    report = shell.user_ns["report"]
    assert "Cell In[1], line 2" in [line.name for line in report.lines]
    assert "y = np.arange(1e3) * 2.0" in str(report)
