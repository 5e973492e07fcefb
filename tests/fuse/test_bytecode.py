"""The streams in benchmarks/bytecode partition, and recording makes them again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hassium import debug

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks/bytecode").glob("*.txt"))


def stored(name: str) -> str:
    return (ROOT / "benchmarks/bytecode" / f"{name}.txt").read_text()


def test_the_fifteen_programs_of_the_paper_have_one() -> None:
    assert set(NAMES) <= {path.stem for path in (ROOT / "benchmarks/programs").glob("[a-z]*.py")}
    assert len(NAMES) == 15


@pytest.mark.parametrize("name", NAMES)
def test_partitions(name: str) -> None:
    text = stored(name)
    answers = {
        partitioner: debug.partition(text, partitioner)
        for partitioner in ("singleton", "linear", "greedy", "optimal")
    }
    best = answers["optimal"]
    for answer in answers.values():
        assert best["bound"] <= best["cost"] <= answer["cost"] <= answers["singleton"]["cost"]
        assert debug.cost(text, answer["blocks"]) == answer["cost"]


@pytest.mark.parametrize("name", NAMES)
def test_optimum_is_proven_and_greedy_finds_it(name: str) -> None:
    best = debug.partition(stored(name), "optimal", time_limit=30)
    assert best["optimal"]
    assert debug.partition(stored(name), "greedy")["cost"] == best["cost"]


def structure(text: str) -> list[str]:
    """The lines without the values of constants."""
    word = re.compile(r"(?<= )[-+]?(0x[0-9a-f]+|\d[\d.e+-]*|inf|nan)(?=[ :]|$)")
    return [word.sub("#", line) for line in text.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_recording_makes_it_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.capture import capture

    assert structure(capture(name)) == structure(stored(name)), (
        f"the recorder writes {name} another way: python -m benchmarks.capture {name}"
    )


def test_iterations_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.capture import capture, split

    for name in ("heat_equation", "sor", "gauss"):
        one, three = split(capture(name)), split(capture(name, 3))
        assert [line.split()[0] for line in three[1]] == 3 * [line.split()[0] for line in one[1]]
        # What an iteration leaves is what the next one starts from.
        inputs = [sum("input" in d for d in bases.values()) for bases in (one[0], three[0])]
        assert inputs[0] == inputs[1]
