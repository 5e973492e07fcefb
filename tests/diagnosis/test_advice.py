"""What the report gives as reasons and advice is true, and given where it helps."""

from __future__ import annotations

import re
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium as np
from hassium.tools.diagnosis import flushes
from hassium.tools.diagnosis.places import source

ROOT = Path(__file__).parents[2]

REASONS = {
    "energy = np.sum(x**2) + np.sum(y**2); x += 0.1 * y": flushes.INCOMPLETE,
    "mean = x.sum() / x.size": flushes.INCOMPLETE,
    "y = x * (x.sum() / x.size)": flushes.NUMBER,
    "z = x + 1.0; z = z.T * y.T": "different orders",
    "z = (x + 1.0) @ y.T + 1.0": "a loop of its own",
    "z = x + 1.0; z[1:] = z[:-1] + z[1:]": "different shapes",
}


@pytest.mark.parametrize("program", REASONS)
def test_reasons_are_true(program: str) -> None:
    x = np.linspace(0.0, 1.0, 20000).reshape(100, 200)
    y = x + 1.0
    with np.explain() as report:
        exec(program, {"np": np, "x": x, "y": y})
    found = {pair.why for flush in report.flushes for pair in flush.separated}
    assert any(why.endswith(REASONS[program]) for why in found)
    if "different shapes" not in REASONS[program]:
        assert "their arrays have different shapes" not in found


def test_the_page_has_every_reason() -> None:
    words = [*flushes.REASONS.values(), flushes.NUMBER]
    page = (ROOT / "docs/diagnosis.md").read_text()
    assert [text for text in words if text not in page] == []
    source = (ROOT / "src/fuse/legal/legal.cpp").read_text()
    source += (ROOT / "src/fuse/legal/legal_reasons.cpp").read_text()
    assert set(re.findall(r'(?:return|:) "([^"]+)";', source)) <= set(flushes.REASONS)
    assert all(f'"{reason}"' in source for reason in flushes.REASONS)


COLLECTED = """
totals = []
for step in range(20):
    x = x * 1.5
    totals.append(np.NAME(x, keepdims=True))
totals = np.concatenate(totals, axis=None).tolist()
"""
CHOSEN = """
for step in range(20):
    total = x.sum(keepdims=True)
    x = np.where(total > 1.0, x * 0.5, x)
x = x.tolist()
"""
PROGRAMS = [(COLLECTED.replace("NAME", name), 1) for name in ("sum", "mean", "max", "linalg.norm")]
PROGRAMS += [(CHOSEN, 1), (COLLECTED.replace("NAME", "sum").replace(", keepdims=True", ""), 20)]


@pytest.mark.parametrize(("program", "flushes"), PROGRAMS)
@pytest.mark.parametrize("shape", [(20000,), (100, 200)])
@pytest.mark.parametrize("in_function", [False, True])
def test_numbers_that_stay_arrays_of_one_element(
    program: str, flushes: int, shape: tuple[int, ...], in_function: bool
) -> None:
    """What the report advises for numbers of a loop; without `keepdims` each step is read."""
    x = np.linspace(0.0, 1.0, 20000).reshape(shape)
    np.flush()
    if in_function:
        program = "def run(x):\n" + textwrap.indent(program, "    ") + "run(x)\n"
    before = np.stats()["flushes"]
    exec(program, {"np": np, "x": x})
    assert np.stats()["flushes"] - before == flushes


ADVISED = """
import hassium as np
x = np.linspace(0.0, 1.0, 20000)
with np.explain() as report:
    totals = []
    for step in range(20):
        x = x * 1.5
        totals.append(x.sum())
    for step in range(20):
        y = x.sum(keepdims=True).tolist()
    print(x.sum(), x.sum(), x.sum(), x.sum())
    np.trim_zeros(x)
    for step in range(20):
        y = np.trim_zeros(x)
    y = [np.ones(200, object), np.ones(200, object)]
    for step in range(20):
        y = np.median(x)
"""


def advised(tmp_path: Path) -> tuple[dict[str, str], str]:
    """Returns the advice for each line of that program, by its text, and the report."""
    script = tmp_path / "advised.py"
    script.write_text(ADVISED)
    names: dict[str, Any] = {}
    exec(compile(ADVISED, str(script), "exec"), names)
    report = names["report"]
    found = {source(line.site): " ".join(line.advice()) for line in report.lines}
    return found, str(report)


def test_advice_is_for_lines_that_it_helps(tmp_path: Path) -> None:
    advice, text = advised(tmp_path)
    assert "Use the value less often" in advice["totals.append(x.sum())"]
    assert "keepdims=True" in advice["totals.append(x.sum())"]
    assert "np.concatenate" in advice["totals.append(x.sum())"]
    kept = advice["y = x.sum(keepdims=True).tolist()"]
    assert "Use the value less often" in kept
    assert "keepdims" not in kept
    assert "keepdims" not in advice["y = np.median(x)"]
    assert advice["print(x.sum(), x.sum(), x.sum(), x.sum())"] == ""
    assert advice["np.trim_zeros(x)"] == ""
    assert "inner loops" in advice["y = np.trim_zeros(x)"]
    assert advice["y = [np.ones(200, object), np.ones(200, object)]"] == ""
    assert "np.ones has no native form for this dtype, size or option and ran" in text
    assert "np.trim_zeros has no native form and ran" in text


def test_small_operations_of_a_loop_are_advised_on(tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    text = "for step in range(300):\n    y = x * 2.0\n"
    script.write_text(text)
    x = np.linspace(0.0, 1.0, 200)
    with np.explain() as report:
        exec(compile(text, str(script), "exec"), {"x": x})
    (line,) = report.lines
    assert "axis of the arrays" in " ".join(line.advice())
    line.part = 0.001  # of the time: it does not matter
    assert not list(line.advice())


def test_arrays_of_numpys_own_are_to_be_converted() -> None:
    """Results of other packages: operators on these alone are not seen at all."""
    result, x = numpy.arange(10000.0), np.arange(10000.0)
    np.flush()
    with np.explain() as report:
        y = x * result
        converted = np.asarray(result)
        z = x * converted + y
    assert z.shape == (10000,)
    assert [bool(line.eager) for line in sorted(report.lines, key=lambda one: one.site)] == [
        True,
        False,
    ]
    (line,) = (line for line in report.lines if line.eager)
    assert "np.asarray(result)" in " ".join(line.advice())


NUMBERS = {
    **{
        f"x - x.{name}()": 1
        for name in ("sum", "mean", "prod", "max", "min", "any", "all", "argmax")
    },
    **{f"x - x.{name}()": 20 for name in ("std", "var")},
    **{f"x - np.{name}(x)": 20 for name in ("linalg.norm", "average", "count_nonzero")},
    "x - np.vdot(x, x)": 20,
    "x / np.sqrt(x.sum())": 20,
    "x - x.mean(keepdims=True)": 1,
    "x / np.sqrt(np.sum(x, keepdims=True))": 1,
}


@pytest.mark.parametrize("expression", NUMBERS)
def test_which_numbers_are_read_at_once(expression: str) -> None:
    """As the page laziness.md has it; one flush may follow for the last of 20 steps."""
    x = np.linspace(0.0, 1.0, 40000).reshape(200, 200)
    np.flush()
    before = np.stats()["flushes"]
    program = f"def run(x):\n    for _ in range(20):\n        y = {expression}\n    return y\n"
    names: dict[str, Any] = {"np": np}
    exec(program, names)
    names["run"](x).tolist()
    assert NUMBERS[expression] <= np.stats()["flushes"] - before <= NUMBERS[expression] + 1


ERRORS = """
for step in range(20):
    y = x / 2.0
    z = y + 1.0
total = float(z.sum())
"""


@pytest.mark.parametrize("setting", ["errstate", "filter", "none"])
def test_operations_that_may_raise_at_the_call(setting: str) -> None:
    x = np.linspace(0.0, 1.0, 20000)
    with np.explain() as report, warnings.catch_warnings():
        if setting == "filter":
            warnings.simplefilter("error")
        with np.errstate(all="raise" if setting == "errstate" else "warn"):
            exec(ERRORS, {"np": np, "x": x})
    notes = [note for line in report.lines for note in line.notes()]
    advice = [text for line in report.lines for text in line.advice()]
    told = "can raise a floating-point error: ran here, 20 times"
    assert notes.count(told) == (0 if setting == "none" else 2)
    assert any("errstate" in text for text in advice) == (setting != "none")
