"""Flushes of more than a second show how far they are, where somebody can see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hassium as np
from hassium.tools import progress

LONG = """
import hassium as np
x = np.full(2_000_000, 0.5)
np.flush()
with np.config(threads=1, queue_instructions=100_000, progress=%r):
    for _ in range(300):
        x = np.sin(x) + np.cos(x)
        x = np.cumsum(x) / x.size
    np.flush()
"""


@pytest.mark.parametrize(("setting", "shown"), [("on", True), ("auto", False), ("off", False)])
def test_a_long_flush(setting: str, shown: bool) -> None:
    """Standard error of the child is no terminal."""
    folder = str(Path(np.__file__).parents[1])
    script = f"import sys; sys.path.insert(0, {folder!r})" + LONG % setting
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    if not shown:
        assert lines == []
        return
    assert "% of this flush after 1 s" in lines[0]
    assert "this flush ended after" in lines[-1]


def test_lines_go_on_to_the_end_of_a_flush(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "make_bar", progress.Lines)
    for k in range(10, 100):  # ten times a second
        progress.show(k / 10, k / 100)
    progress.show(10.0, 1.0)
    lines = capsys.readouterr().err.splitlines()
    shares = (10, 20, 40, 80)
    expected = [f"hassium:  {share}% of this flush after {share // 10} s" for share in shares]
    assert lines == [*expected, "hassium: this flush ended after 10.0 s"]


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_while_progress_is_shown(
    monkeypatch: pytest.MonkeyPatch, kind: type[BaseException], at_the_end: bool
) -> None:
    raised: list[float] = []

    def show(seconds: float, done: float) -> None:
        if (done == 1) == at_the_end and not raised:
            raised.append(done)
            raise kind

    monkeypatch.setattr(progress, "show", show)
    x = np.full(2_000_000, 0.5)
    np.flush()
    with np.config(threads=1, queue_instructions=100_000, progress="on", reroll="off"):
        for _ in range(300):
            x = np.sin(x) + np.cos(x)
            x = np.cumsum(x) / x.size
        with pytest.raises(kind):
            np.flush()
    assert len(raised) == 1
    assert float((np.ones(1000) + 1.0).sum()) == 2000.0
    assert bool(np.isfinite(x).all())


def test_an_error_of_what_shows_progress_is_reported_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: reported.append(str(found.exc_value)))

    def show(seconds: float, done: float) -> None:
        raise OSError("no terminal")

    monkeypatch.setattr(progress, "show", show)
    with np.config(threads=1, queue_instructions=100_000, progress="on"):
        x = np.full(2_000_000, 0.5)
        for _ in range(300):
            x = np.sin(x) + np.cos(x)
            x = np.cumsum(x) / x.size
        np.flush()
    assert set(reported) == {"no terminal"}
    assert bool(np.isfinite(x).all())


class Recorded:
    def __init__(self) -> None:
        self.events: list[object] = []

    def update(self, seconds: float, done: float) -> None:
        self.events.append((seconds, done))

    def close(self) -> None:
        self.events.append("closed")


def test_one_bar_for_a_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Recorded] = []

    def make() -> Recorded:
        bars.append(Recorded())
        return bars[-1]

    monkeypatch.setattr(progress, "make_bar", make)
    for _ in range(2):
        progress.show(1.0, 0.25)
        progress.show(1.1, 0.5)
        progress.show(1.2, 1.0)
    events = [(1.0, 0.25), (1.1, 0.5), (1.2, 1.0), "closed"]
    assert [bar.events for bar in bars] == [events] * 2


def test_a_bar_of_rich_draws(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    bar = progress.Rich()
    bar.update(1.0, 0.5)
    bar.close()
    assert "hassium" in capsys.readouterr().err
