"""A progress bar for flushes of more than a second, updated about ten times a second."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Protocol

from hassium import _core
from hassium.tools.diagnosis.places import in_notebook


class Bar(Protocol):
    def update(self, seconds: float, done: float) -> None: ...
    def close(self) -> None: ...


class Silent:
    def update(self, seconds: float, done: float) -> None: ...
    def close(self) -> None: ...


class Lines:
    """Lines on standard error: in a terminal each overwrites the last, else there are few.

    Those are written after 1, 2, 4, 8 and so on seconds, and at the end of the flush.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    def update(self, seconds: float, done: float) -> None:
        text = f"hassium: {done:4.0%} of this flush after {seconds:.0f} s"
        if done == 1:  # also if it failed
            text = f"hassium: this flush ended after {seconds:.1f} s"
        if self._terminal:
            print(f"\r{text:40}", end="", file=sys.stderr, flush=True)
        elif done == 1 or seconds >= self._next:
            self._next = 2 * seconds
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._terminal:
            print(file=sys.stderr)


class Rich:
    """A bar of `rich`, which disappears when the flush ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("hassium"), BarColumn(), TimeElapsedColumn())
        console = Console(file=sys.stderr)
        self._bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        self._task = self._bar.add_task("", total=1.0)
        self._bar.start()

    def update(self, seconds: float, done: float) -> None:
        self._bar.update(self._task, completed=done, refresh=True)

    def close(self) -> None:
        self._bar.stop()


class Widget:
    """A bar of `ipywidgets` below the cell, which disappears when the flush ends.

    A saved notebook keeps an empty output in its place instead of a view of a closed widget.
    """

    def __init__(self) -> None:
        widgets: Any = importlib.import_module("ipywidgets")
        display: Any = importlib.import_module("IPython.display").display
        self._bar = widgets.FloatProgress(min=0.0, max=1.0, description="hassium")
        self._shown = display(self._bar, display_id=True)

    def update(self, seconds: float, done: float) -> None:
        self._bar.value = done

    def close(self) -> None:
        self._bar.close()
        self._shown.update({"text/plain": ""}, raw=True)


def make_bar() -> Bar:
    """Returns the bar for this environment, by the setting `progress`."""
    try:
        if in_notebook():
            return Widget()
        if sys.stderr.isatty():
            return Rich()
    except ImportError:
        pass
    wanted = {row["name"]: row["value"] for row in _core.settings_table()}["progress"]
    return Lines() if wanted == "on" else Silent()


_bar: Bar | None = None


def show(seconds: float, done: float) -> None:
    """Shows the fraction of the flush that is `done` after `seconds` seconds; 1 ends it."""
    global _bar
    if _bar is None:
        _bar = make_bar()
    bar = _bar
    if done == 1:
        _bar = None
    bar.update(seconds, done)
    if done == 1:
        bar.close()
