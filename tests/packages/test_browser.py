"""What notebooks show, laid out by a browser: executed, converted to a page, opened in Chromium.

With the environment variable TESTS_SCREENSHOTS each page is kept in that folder as a picture.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hassium as np
from packages import wanted

# Jupyter's packages warn of one another.
pytestmark = pytest.mark.filterwarnings("ignore")

# Of what the packages beside us show: the place and the look of each element.
OTHERS = """
JSON.stringify([...document.querySelectorAll(".xr-wrap *, .dataframe *")].map(element => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    return [element.tagName, style.color, style.backgroundColor, style.font, style.padding,
            style.border, style.textAlign, Math.round(box.width), Math.round(box.height)];
}))
"""
# Of our pictures: how far each reaches, and how far its elements do.
PICTURES = """
JSON.stringify([...document.querySelectorAll("svg.hassium-blocks")].map(svg => {
    const around = svg.getBoundingClientRect();
    const drawn = [...svg.querySelectorAll("rect, text, path")].filter(e => !e.closest("marker"));
    const inside = drawn.map(element => {
        const box = element.getBoundingClientRect();
        return [box.left, box.top, box.right, box.bottom];
    });
    return [[around.left, around.top, around.right, around.bottom], inside];
}))
"""
FOREIGN = """import numpy, pandas, xarray
table = pandas.DataFrame({"a": numpy.arange(3), "b": numpy.ones(3)})
table"""
ALSO_FOREIGN = 'xarray.DataArray(numpy.ones((2, 3)), dims=("x", "y"), attrs={"units": "m"})'
REPORT = """%%explain
import hassium as np
x = np.linspace(0.0, 1.0, 100_000)
y = np.sqrt(x) * 2.0 + 1.0
w = (y / y.sum()).sum() + np.sort(y)[5]
for step in range(20):
    x = x * 0.5 + y
float(x[0] + w)"""

# By how much the content of cells of a report's table is wider than they are.
OVERFLOW = """JSON.stringify([...document.querySelectorAll("table.lines th, table.lines td")]
    .map(cell => cell.scrollWidth - cell.clientWidth))"""


def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    if os.environ.get("TESTS_REQUIRE_PACKAGES"):
        raise AssertionError("there is no Chromium")
    pytest.skip("Chromium is not installed")


def page_of(cells: list[str], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Executes a notebook of these cells and writes it as a page."""
    wanted("ipykernel")
    nbformat, nbclient, nbconvert = (
        wanted(name) for name in ("nbformat.v4", "nbclient", "nbconvert")
    )
    folder = str(Path(np.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    path.write_text(nbconvert.HTMLExporter().from_notebook_node(book)[0])


def asked(question: str, page: Path) -> Any:
    """What a script finds on the page, once it is laid out."""
    script = f"""<script>addEventListener("load", () => {{
        const answer = document.createElement("pre");
        answer.id = "answer";
        answer.textContent = {question.strip()};
        document.body.replaceChildren(answer);
    }});</script>"""
    asking = page.with_suffix(".asking.html")
    asking.write_text(page.read_text().replace("</body>", f"{script}</body>"))
    shown = opened(asking, "--dump-dom")
    found = re.search(r'<pre id="answer">(.*?)</pre>', shown, re.S)
    assert found, shown[-2000:]
    return json.loads(html.unescape(found.group(1)))


def opened(page: Path, *options: str) -> str:
    command = [
        browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        f"--user-data-dir={page.parent / 'profile'}", "--window-size=1000,2400",
        "--virtual-time-budget=5000", *options, page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def picture_of(page: Path) -> bytes:
    path = page.with_suffix(".png")
    opened(page, f"--screenshot={path}")
    if kept := os.environ.get("TESTS_SCREENSHOTS"):
        Path(kept).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, kept)
    return path.read_bytes()


def check_pictures(page: Path, width: int) -> None:
    """Pictures are at most so wide, and nothing of them lies outside of them."""
    pictures = asked(PICTURES, page)
    assert pictures
    for (left, top, right, bottom), inside in pictures:
        assert right - left <= width
        assert len(inside) > 5
        for box in inside:
            assert left - 1 <= box[0] <= box[2] <= right + 1
            assert top - 1 <= box[1] <= box[3] <= bottom + 1


def test_a_report_and_what_others_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "xarray"):
        wanted(name)
    browser()
    load = "%load_ext hassium\n%hassium off"
    alone, beside = tmp_path / "others.html", tmp_path / "report.html"
    page_of([load, FOREIGN, ALSO_FOREIGN], alone, monkeypatch)
    page_of([load, REPORT, "import hassium as np\nnp.stats()", FOREIGN, ALSO_FOREIGN], beside,
            monkeypatch)  # fmt: skip

    others = asked(OTHERS, alone)
    assert len(others) > 20
    assert asked(OTHERS, beside) == others, "a report changes the look of other output"

    assert max(asked(OVERFLOW, beside)) == 0, "cells of the table overlap"
    check_pictures(beside, 1000)
    assert len(picture_of(beside)) > 20_000


def test_the_report_of_a_script(tmp_path: Path) -> None:
    browser()
    program = Path(__file__).parents[2] / "benchmarks" / "programs" / "shallow_water.py"
    page = tmp_path / "script.html"
    command = [sys.executable, "-m", "hassium", "--report", "--html", str(page), str(program)]
    paths = [str(Path(np.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    subprocess.run([*command, "--size", "300", "--steps", "20"], env=environment, check=True)
    assert max(asked(OVERFLOW, page)) == 0, "cells of the table overlap"
    check_pictures(page, 1000)
    assert len(picture_of(page)) > 20_000
