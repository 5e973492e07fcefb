"""The benchmark harness: cases, workers, tables, reports and comparisons."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import compare, rivals, run, worker
from benchmarks.run import NUMPY, Case, Configuration
from benchmarks.scripts import load

HASSIUM = Configuration("hassium", threads=2)


def job(reference: Path, **changes: Any) -> worker.Job:
    choice: dict[str, Any] = {
        "program": "heat_equation",
        "size": [20, 20, 5],
        "dtype": "float64",
        "library": "numpy",
        "seconds": 0.0,
        "reference": str(reference),
        "verify": True,
    }
    return worker.Job(**(choice | changes))


def test_a_worker_times_checks_and_leaves_the_result(tmp_path: Path) -> None:
    reference = tmp_path / "result.npy"
    answer = worker.measure(job(reference))
    assert answer["first"] > 0
    assert answer["steady"] > 0
    assert (np.load(reference) == load("heat_equation").run(np, (20, 20, 5), "float64")).all()
    first_only = worker.measure(job(reference, steady=False))
    assert "steady" not in first_only


def test_agreement_is_exact_where_a_program_says_so(tmp_path: Path) -> None:
    reference = tmp_path / "result.npy"
    result = np.linspace(0.0, 1.0, 5)
    np.save(reference, result)
    heat, nbody = (job(reference, program=name) for name in ("heat_equation", "nbody"))
    near = result * (1 + 2e-16)
    assert worker.agreement(result, heat) == {"exact": True, "difference": 0.0, "agrees": True}
    assert not worker.agreement(near, heat)["agrees"]
    assert worker.agreement(near, nbody)["agrees"]
    assert not worker.agreement(result * (1 + 1e-9), nbody)["agrees"]
    assert not worker.agreement(result * np.nan, nbody)["agrees"]
    assert not worker.agreement(result.astype("float32"), nbody)["agrees"]
    assert not worker.agreement(-result[:4], nbody)["agrees"]


def test_negative_zero_is_not_the_same_bits(tmp_path: Path) -> None:
    reference = tmp_path / "result.npy"
    np.save(reference, np.zeros(3))
    assert not worker.agreement(-np.zeros(3), job(reference))["exact"]


def test_configurations_are_every_combination() -> None:
    found = run.configurations([1, 2], ["linear", "greedy"], [], ["warm", "cold", "none"])
    assert found[0] == NUMPY
    assert len(set(found)) == 1 + 2 * 2 * 3
    assert len({one.label() for one in found}) == len(found)
    assert Configuration("hassium", threads=2, cache="none").settings() == {
        "threads": 2,
        "cache": False,
    }
    assert run.configurations([], [], [], ["warm"])[1].settings() == {}


def answers(monkeypatch: pytest.MonkeyPatch, times: dict[str, list[float]]) -> list[str]:
    """Let every case take the next of its library's times; gives the order of the calls."""
    order = []
    left = {name: itertools.cycle(values) for name, values in times.items()}

    def perform(case: Case, reference: Path, pace: run.Pace, verify: bool) -> dict[str, Any]:
        order.append(case.configuration.label())
        took = next(left[case.configuration.library])
        answer = {"first": 2 * took, "steady": took, "peak_bytes": 1000}
        return answer | ({"statistics": {"blocks": 1, "fallbacks": {}}} if verify else {})

    monkeypatch.setattr(run, "perform", perform)
    return order


def test_rounds_alternate_and_medians_are_over_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    order = answers(monkeypatch, {"numpy": [4.0, 6.0, 5.0], "hassium": [1.0, 9.0, 2.0]})
    groups = run.cases(["lu"], ["small"], "float64", [NUMPY, HASSIUM])
    ((theirs, mine),) = run.measure(groups, run.Pace(3, 0.1), lambda text: None)
    assert order == ["NumPy", "2 thr", "2 thr", "NumPy", "NumPy", "2 thr"]
    assert theirs["steady"]["median"] == 5.0
    assert theirs["speed_up"] == 1.0
    assert (mine["steady"]["least"], mine["steady"]["most"]) == (1.0, 9.0)
    assert mine["speed_up"] == 2.5
    assert mine["first"]["median"] == 4.0


def test_rounds_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    order = answers(monkeypatch, {"numpy": [4.0, 6.0, 5.0], "hassium": [1.0, 9.0, 2.0]})
    groups = run.cases(["lu"], ["small"], "float64", [NUMPY, HASSIUM])
    clock = iter([0.0, 0.0, 70.0, 130.0])  # seconds: two rounds of one minute fit into three
    monkeypatch.setattr(run.time, "monotonic", lambda: next(clock))
    ((theirs, _),) = run.measure(groups, run.Pace(3, 0.1, minutes=2.5), lambda text: None)
    assert len(order) == 4
    assert theirs["steady"]["samples"] == [4.0, 6.0]


def test_a_failing_process_is_a_row_that_says_why(tmp_path: Path) -> None:
    odd = Case("sor", "9*9*1", (9, 9, 1), "float64", NUMPY)
    answer = run.perform(odd, tmp_path / "none.npy", run.Pace(seconds=0.0), verify=False)
    assert answer == {"error": "ValueError: rows and columns must be even"}
    assert run.row(odd, [answer])["error"] == answer["error"]


def test_a_process_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    long = Case("rosenbrock", "medium", (10_000_000, 1000), "float64", NUMPY)
    pace = run.Pace(seconds=0.0, limit=1.0)
    answer = run.perform(long, tmp_path / "none.npy", pace, verify=False)
    assert answer == {"error": "took longer than 1 s"}


def test_memory_is_held_to_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"numpy": 1e9, "hassium": 1.05e9 + 64e6, "numba": 3e9}

    def perform(case: Case, reference: Path, pace: run.Pace, verify: bool) -> dict[str, Any]:
        return {"first": 1.0, "steady": 1.0, "peak_bytes": used[case.configuration.library]}

    monkeypatch.setattr(run, "perform", perform)
    monkeypatch.setattr(rivals, "absence", lambda library, program: None)
    group = run.cases(["lu"], ["small"], "float64", [NUMPY, HASSIUM, Configuration("numba")])
    (records,) = run.measure(group, run.Pace(1), lambda text: None)
    assert [one.get("memory_within") for one in records] == [None, True, None]
    used["hassium"] += 1e6
    (records,) = run.measure(group, run.Pace(1), lambda text: None)
    assert [one.get("memory_within") for one in records] == [None, False, None]


def test_a_rival_that_is_not_written_is_a_dash() -> None:
    chosen = run.configurations([2], [], [], ["warm"], ["numpy", "numba"])
    assert [one.label() for one in chosen] == ["NumPy", "2 thr", "numba 2 thr"]
    (group,) = run.cases(["water_ice"], ["small"], "float64", chosen)
    assert not run.takes_part(group[2])
    record = run.with_speed_up([run.row(group[2], [])])[0]
    assert record["absent"] == "not written"
    assert record["speed_up"] is None


RIVAL = """
import sys
import numpy
from benchmarks import rivals
from benchmarks.scripts import NAMES, load

library, shared = sys.argv[1], load("_cli")
rivals.prepare(library, 2)
programs = [name for name in NAMES if rivals.runner(library, name)]
for name in programs:
    size = load(name).SIZES["small"]
    expected = load(name).run(numpy, size, "float64")
    found = numpy.asarray(rivals.runner(library, name)(numpy, size, "float64"))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), name
    gap = shared.difference(numpy, found, expected)
    assert gap <= rivals.RTOL["float64"], (name, gap)
print(len(programs))
"""


@pytest.mark.parametrize("library", rivals.LIBRARIES)
def test_rivals_compute_what_the_programs_compute(library: str) -> None:
    """In a process of its own, where threads are the library's alone."""
    pytest.importorskip(library, reason="rivals need the extra rivals")
    command = [sys.executable, "-c", RIVAL, library]
    done = subprocess.run(command, cwd=run.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 5


def record(speed_up: float, program: str = "lu", **more: Any) -> dict[str, Any]:
    case = Case(program, "small", (32, 1), "float64", HASSIUM)
    timed = run.spread([1.0 / speed_up])
    plain = asdict(case) | {"label": case.configuration.label(), "speed_up": speed_up}
    return plain | {"first": timed, "steady": timed, "peak_bytes": 5e6} | more


def stored(records: list[dict[str, Any]], file: Path) -> dict[Case, dict[str, Any]]:
    content = {"machine": run.machine(), "date": "2026-01-01 00:00", "rows": records}
    file.write_text(json.dumps(content))
    return compare.read(file)


def test_a_suspect_is_accused_only_when_it_is_slow_again(tmp_path: Path) -> None:
    old = stored([record(4.0), record(4.0, "sor"), record(4.0, "gauss")], tmp_path / "old")
    new = stored([record(2.0), record(3.0, "sor"), record(3.9, "gauss")], tmp_path / "new")
    suspected = compare.suspects(old, new, 0.1)
    assert [case.program for case in suspected] == ["lu", "sor"]
    asked: list[str] = []

    def again(groups: list[list[Case]]) -> list[dict[str, Any]]:
        asked.extend(case.title() for group in groups for case in group)
        return [record(2.0), record(4.0, "sor")]

    accused = compare.confirmed(old, suspected, 0.1, again)
    assert [case.program for case in accused] == ["lu"]
    assert asked == [
        "lu small NumPy",
        "lu small 2 thr",
        "sor small NumPy",
        "sor small 2 thr",
    ]


def test_a_row_that_fails_or_disagrees_is_broken(tmp_path: Path) -> None:
    right = {"exact": True, "difference": 0.0, "agrees": True}
    wrong = {"exact": False, "difference": 1.0, "agrees": False}
    old = stored([record(4.0, agreement=right), record(4.0, "sor")], tmp_path / "old")
    new = stored([record(4.0, agreement=wrong), record(4.0, "sor", error="no")], tmp_path / "new")
    assert [case.program for case in compare.broken(old, new)] == ["lu", "sor"]
    assert compare.broken(old, old) == []


def test_the_table_tells_right_from_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="tables need the extra bench")
    from benchmarks import table
    from rich.console import Console

    answers(monkeypatch, {"numpy": [1.0], "hassium": [0.25]})
    groups = run.cases(["lu"], ["small"], "float64", [NUMPY, HASSIUM])
    measured = run.measure(groups, run.Pace(1, 0.1), lambda text: None)
    records = [one for group in measured for one in group]
    records[1]["agreement"] = {"exact": False, "difference": 0.5, "agrees": False}
    failed = {"speed_up": None, "error": "ValueError: [setitem] read-only"}
    records.append(record(1.0, "sor") | failed)
    stream = io.StringIO()
    table.show(records, Console(width=170, file=stream))
    text = stream.getvalue()
    assert "WRONG 0.5" in text
    assert "speed-up 4.00 (geometric mean), least 4.00" in text
    assert "sor 2 thr failed: ValueError: [setitem] read-only" in text
    assert [table.wrong(one) for one in records] == [False, True, True]


def test_a_report_draws_pictures_and_refreshes_a_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing needs the extra bench")
    pytest.importorskip("rich", reason="the report shares its cells with the table")
    from benchmarks import report

    theirs = record(1.0) | {"label": "NumPy", "configuration": asdict(NUMPY)}
    file, page = tmp_path / "run.json", tmp_path / "page.md"
    stored([theirs, record(3.0), record(1.0, "sor", error="a < b")], file)
    (begin, end), (first, last) = report.marks("benchmarks"), report.marks("programs")
    page.write_text(f"before\n{begin}\nold\n{end}\nmiddle\n{first}{last}\nafter\n")
    written = report.write(file, tmp_path / "report", [page])
    assert {path.name for path in written} == {
        "index.html",
        "speed-small.png",
        "memory-small.png",
        "page.md",
    }
    html = (tmp_path / "report" / "index.html").read_text()
    assert html.count("data:image/png;base64,") == 2
    assert "a &lt; b" in html
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| lu | 2 thr | 333 ms | 333 ms | 3.00 |" in text
    assert "| sor | 2 thr | failed |" in text
    assert "| lu | 1 s | 333 ms (3x) |" in text
    assert "| sor | - | failed |" in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="marks"):
        report.refresh(page, json.loads(file.read_text()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "no_program"], "no program no_program"),
        (["run", "lu", "--sizes", "huge"], "size 'huge'"),
        (["run", "lu", "--cache", "hot"], "--cache takes"),
        (["run", "lu", "--rounds", "0"], "--rounds"),
        (["report", "no-such-file.json"], "no-such-file.json"),
    ],
)
def test_bad_arguments_are_named(
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("rich", reason="the command line draws a progress bar")
    pytest.importorskip("matplotlib", reason="drawing needs the extra bench")
    from benchmarks import __main__ as command_line

    monkeypatch.setattr("sys.argv", ["benchmarks", *words])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
