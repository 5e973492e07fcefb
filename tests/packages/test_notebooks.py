"""Notebooks, executed as Jupyter does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import hassium as np
from packages import wanted

# Jupyter's packages warn of one another.
pytestmark = pytest.mark.filterwarnings("ignore")


def client(*cells: str, **options: Any) -> tuple[Any, Any]:
    """A client of nbclient's and its notebook of these cells."""
    wanted("ipykernel")
    nbformat, nbclient = wanted("nbformat.v4"), wanted("nbclient")
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell(cell) for cell in cells])
    return nbclient.NotebookClient(book, timeout=120, kernel_name="python3", **options), book


@pytest.fixture(autouse=True)
def found_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(Path(np.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))


def outputs(cell: Any, kind: str) -> str:
    """All that a cell shows of a kind."""
    found = [output["data"].get(kind, "") for output in cell.outputs if "data" in output]
    if kind == "text/plain":
        found += [output["text"] for output in cell.outputs if "text" in output]
    return "".join(found)


def test_a_notebook_runs_under_hassium() -> None:
    notebook, book = client(
        "%load_ext hassium",
        "import numpy as np\nnp.__name__",
        "x = np.linspace(0.0, 1.0, 100_000)\nx",
        "with np.explain() as report:\n    y = np.sqrt(x) + 1.0\n    z = float(y.sum())\nreport",
        "%%explain\nfor k in range(200):\n    x = x * 0.5 + 1.0\nfloat(x[0])",
        "np.stats()",
        "with np.doctor():\n    w = (x * x).sum()",
    )
    notebook.execute()
    cells = book.cells
    assert outputs(cells[1], "text/plain") == "'hassium'"
    assert outputs(cells[2], "text/plain").startswith("array([0.")
    page = outputs(cells[3], "text/html")
    assert "Cell In[4], line 2" in page
    assert "<svg" in page
    assert "Cell In[4], line 3" in outputs(cells[3], "text/plain")
    page = outputs(cells[4], "text/html")
    assert "Cell In[5], line 3" in page
    assert page.count("<svg") <= 4
    assert len(page) < 60_000
    assert "bytes_saved" in outputs(cells[5], "text/html")
    assert "Cell In[7], line 2" in outputs(cells[6], "text/html")


MAGICS = ("%%explain", "%%hassium", "%%hassium\n%%explain")

# What the button of a notebook does: a signal to the kernel.
INTERRUPTED = """
import os, signal, threading
import numpy as np
x = np.full((2000, 1000), 0.5)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
for _ in range(1000):
    x = np.sin(x) + np.cos(x)
float(x[0, 0])
"""


def test_a_long_flush_is_interrupted() -> None:
    after = "float(np.full(1000, 0.5).sum())"
    notebook, book = client("%load_ext hassium", INTERRUPTED, after, allow_errors=True)
    notebook.execute()
    errors = [output["ename"] for output in book.cells[1].outputs if "ename" in output]
    assert errors == ["KeyboardInterrupt"]
    assert outputs(book.cells[2], "text/plain") == "500.0"


LONG = """
import numpy as np
x = np.full(2_000_000, 0.5)
np.flush()
with np.config(threads=1, queue_instructions=100_000):
    for _ in range(300):
        x = np.sin(x) + np.cos(x)
        x = np.cumsum(x) / x.size
    np.flush()
"""


def test_a_long_flush_shows_a_bar_that_goes_away() -> None:
    wanted("ipywidgets")
    notebook, book = client("%load_ext hassium", LONG, LONG.replace("300", "1"))
    notebook.execute()
    shown, nothing = book.cells[1].outputs, book.cells[2].outputs
    assert [output["data"] for output in shown] == [{"text/plain": ""}]
    assert not nothing
    bars = [state for state in notebook.widget_state.values() if "description" in state]
    assert [bar["description"] for bar in bars] == ["hassium"]
    assert bars[0]["value"] == 1


def test_cells_with_a_magic_run_like_others() -> None:
    """Jupyter's event loop runs while a cell does: `await` needs IPython's own way to run it."""
    body = "import asyncio\nx = await asyncio.sleep(0.01, 5)\n"
    notebook, book = client(
        "%load_ext hassium",
        *(f"{magic}\n{body}{last}" for magic in MAGICS for last in ("x", "x;")),
        "%reload_ext hassium",
        "%%hassium\nimport numpy\nnumpy.__name__",
    )
    notebook.execute()
    shown = [
        [output["data"]["text/plain"] for output in cell.outputs if "execution_count" in output]
        for cell in book.cells
    ]
    assert shown == [[], ["5"], [], ["5"], [], ["5"], [], [], ["'hassium'"]]
    assert not book.cells[-2].outputs
