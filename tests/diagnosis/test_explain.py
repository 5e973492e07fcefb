"""`hassium.explain()`: what fused, what did not and why, tied to the lines of the program."""

from __future__ import annotations

import inspect
import re
import types
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug
from hassium.tools.diagnosis.places import shown


def here(offset: int = 0) -> str:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{Path(__file__)}:{frame.f_back.f_lineno + offset}"


def test_a_chain_is_one_block_tied_to_its_lines() -> None:
    x = np.arange(1000.0)
    with np.config(lazy_scalars="on"), np.explain() as report:
        y = x * 2.0 + 1.0
        lines = [here(-1), here(1)]
        total = (y * y).sum()
        del y
    assert float(total) == sum((2.0 * k + 1.0) ** 2 for k in range(1000))
    (flush,) = report.flushes
    (block,) = flush.blocks
    assert block.operations == 4
    assert len(block.contracted) == 3
    assert {site for site in block.sites if site} == set(lines)
    text = str(report)
    assert "1 flush with 1 loop" in text
    assert "loop 0: 4 operations" in text
    assert "3 arrays never in memory" in text
    for line in lines:
        assert shown(line) in text
    assert {line.site for line in report.lines if line.share.operations} == set(lines)
    first, second = (next(one for one in report.lines if one.site == site) for site in lines)
    assert first.with_lines == second.with_lines == set(lines)
    assert first.share.operations == 2
    assert first.share.seconds > 0
    # x is read once and 4 arrays of 8,000 bytes are neither written nor read again.
    assert sum(line.share.saved for line in report.lines) == flush.blocks[0].saved > 0


def test_what_does_not_fuse_says_why() -> None:
    """The second sum needs the first one whole, and other lengths share no loop."""
    x = np.arange(100000.0)
    with np.explain() as report:
        mean = x.sum() / 100000.0
        spread = ((x - mean) * (x - mean)).sum()
    assert float(spread) > 0
    (flush,) = report.flushes
    assert len(flush.blocks) > 1
    assert flush.apart
    for pair in flush.apart:
        assert pair.reason
        assert pair.first != pair.second
        assert __file__ in pair.first_site
    assert flush.separated
    assert "stay apart: a sum, extreme or the like has to be complete" in str(report)
    (notes,) = ["\n".join(line.notes()) for line in report.lines if line.apart][:1]
    assert "in another loop than" in notes


def test_fallbacks_eager_and_direct_operations_are_reported() -> None:
    shared = np.arange(1000.0)
    kept = numpy.asarray(shared)
    with np.explain() as report:
        shared += 1.0
        where = here(-1)
        np.median(shared)
        median = here(-1)
        small = np.ones(3) + 1.0
    assert small.tolist() == [2.0] * 3
    assert kept[0] == 1.0
    text = str(report)
    lines = {line.site: line for line in report.lines}
    assert lines[where].eager == {"add": 1}
    assert "copy" in " ".join(lines[where].advice())
    assert "median" in lines[median].fallbacks
    assert "add ran at once, its memory is shared with NumPy, 1 time" in text
    assert (
        "np.median has no native form for this dtype, size or option and ran as NumPy's, 1 time"
        in text
    )
    assert "ran at the call" in text


def test_nothing_is_reported_as_nothing_and_lines_end_with_the_body() -> None:
    with np.explain() as report:
        pass
    assert str(report) == "nothing ran"
    with np.debug.capture() as flushes:
        np.arange(100.0) + 1.0
    assert len(flushes) <= 1


def test_the_end_of_the_block_makes_what_is_pending_run() -> None:
    x = np.arange(10000.0)
    np.flush()
    with np.explain() as report:
        y = x * 2.0
        opened = here(-2)
    assert float(y[1]) == 2.0
    (flush,) = report.flushes
    assert flush.cause == "end"
    assert flush.trigger == f"the end of the block at {shown(opened)} made everything pending run"
    with np.explain() as report:
        y = x * 3.0
        np.flush()
    assert [flush.cause for flush in report.flushes] == ["asked"]
    assert "contextlib" not in str(report)


def test_time_is_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with the body's flush: nothing that the report imports or summarizes counts."""
    asked: list[float] = []

    def clock() -> float:
        asked.append(float(len(asked)))
        return asked[-1]

    monkeypatch.setattr(debug, "time", types.SimpleNamespace(perf_counter=clock))
    with np.explain() as report:
        pass
    assert (report.seconds, asked) == (1.0, [0.0, 1.0])


def heat(steps: int, read: bool) -> None:
    grid = np.zeros((60, 50))
    inside = grid[1:-1, 1:-1]
    for _ in range(steps):
        before = inside.copy()
        inside[:] = 0.5 * (grid[:-2, 1:-1] + grid[2:, 1:-1])
        change = abs(inside - before).sum()
        if read and float(change) < 0:
            break
    np.flush()


def test_a_loop_is_one_flush_and_its_count() -> None:
    """200 steps are a few lines of text and pictures of the size of one step."""
    for read in (True, False):
        with np.explain() as report:
            heat(200, read)
        assert sum(flush.count for flush in report.flushes) >= (200 if read else 1)
        assert len(report.flushes) <= 6
        assert all(len(flush.blocks) <= 8 for flush in report.flushes)
        assert max(block.count for flush in report.flushes for block in flush.blocks) >= 100
        assert len(str(report).splitlines()) < 150
        for width, height in sizes(report._repr_html_()):
            assert width <= 1200
            assert height <= 2000
        if read:
            (reader,) = [line for line in report.lines if line.flushes.get("read", 0) > 100]
            assert "Use the value less often" in " ".join(reader.advice())


def test_moved_and_saved_bytes_are_those_of_the_counters() -> None:
    np.flush()
    np.reset_stats()
    with np.explain() as report:
        heat(20, True)
    stats = np.stats()
    moved = sum(line.share.moved for line in report.lines)
    saved = sum(line.share.saved for line in report.lines)
    assert round(moved) == stats["bytes_moved"]
    assert round(saved) == stats["bytes_saved"]


def test_explain_within_explain() -> None:
    x = np.arange(1000.0)
    with np.explain() as outer:
        y = x + 1.0
        with np.explain() as inner:
            z = y * 2.0
            np.flush()
        w = z - 1.0
    assert float(w[1]) == 3.0
    assert sum(line.share.operations for line in inner.lines) == 1
    assert sum(line.share.operations for line in outer.lines) == 3


def test_the_doctor_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    with np.doctor():
        heat(3, True)
    text = capsys.readouterr().out
    assert "operations" in text
    assert "inside[:] = 0.5 *" in text


def test_the_layout_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Notes take the whole width, nothing trails, and a long path keeps its end."""
    folder = tmp_path / "a_folder_with_a_long_name" / "package"
    folder.mkdir(parents=True)
    text = "def run(x):\n    for _ in range(9):\n        x = x * 2.0 - float(x.sum())\n"
    (folder / "module.py").write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(folder / "module.py"), "exec"), names)
    with np.doctor() as report:
        names["run"](np.linspace(0.0, 1.0, 1000))
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(".../package/module.py:3 ") for line in lines)
    assert all(line == line.rstrip() and len(line) <= 100 for line in lines)
    assert any("Use the value less often" in line and len(line) > 80 for line in lines)
    assert all(type(one.notes()) is type(one.advice()) is tuple for one in report.lines)


EDGES = {
    "dependency": "the loop at the tip waits for the other",
    "forbidden": "these two loops cannot be one; the tooltip of the line says why",
}


def sizes(page: str) -> list[tuple[float, float]]:
    heads = re.findall(r'<svg [^>]*width="(\d+)" height="(\d+)"', page)
    return [(float(width), float(height)) for width, height in heads]


def test_a_notebook_gets_a_table_and_pictures_whose_style_is_their_own() -> None:
    x = np.arange(1000.0)
    with np.explain() as report:
        y = x + 1.0
        total = (y / y.sum()).sum()
    assert abs(float(total) - 1.0) < 1e-9
    page = report._repr_html_()
    assert "<table" in page
    assert "<svg" in page
    rules = re.findall(
        r"([^{}]+)\{[^{}]*\}", "".join(re.findall(r"<style>(.*?)</style>", page, re.S))
    )
    assert rules
    for rule in rules:
        for selector in rule.split(","):
            assert selector.strip().startswith((".hassium-report", ".hassium-blocks")), selector


def test_a_picture_explains_its_edges_by_the_word_of_its_boxes() -> None:
    x = np.arange(100_000.0)
    with np.explain() as report:
        y = x + 1.0
        total = (y / y.sum()).sum() + (x[1:] - x[:-1]).sum()
    assert float(total) > 0.0
    page = report._repr_html_()
    drawn = set(re.findall(r'<path class="(\w+)"', page))
    assert drawn == set(re.findall(r'<path class="(\w+) legend"', page)) == {*EDGES}
    assert all(text in page for text in EDGES.values())
    assert "loops 0 and 1: " in page
    assert "block" not in re.sub(r"hassium-blocks", "", page)


def test_edges_stay_within_the_picture() -> None:
    from hassium.tools.picture import Picture

    boxes = [[("a line of some length", "code")] * (1 + k % 3) for k in range(30)]
    arrows = {(k, j): ["waits"] for k in range(30) for j in range(k + 1, 30, 7)}
    apart = [(k, 29, "so") for k in range(29)]
    picture = Picture(boxes, {**arrows, (5, 2): ["again"], (4, 4): ["again"]}, apart, "title")
    found = re.search(r'viewBox="(\S+) 0 (\S+) (\S+)"', picture.svg())
    assert found
    left, width, height = map(float, found.groups())
    for edge in picture.edges():
        assert all(left <= x <= left + width and 0 <= y <= height for x, y in edge.points)
