"""``explain()``, ``doctor()``: cost of each source line, what fused with what, and why not."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from hassium import _core
from hassium.debug import captured
from hassium.tools.diagnosis.line_clock import LineClock

if TYPE_CHECKING:
    from hassium.tools.diagnosis.flushes import FlushReport
    from hassium.tools.diagnosis.lines import Line

_PACKAGE = os.path.dirname(_core.__file__) + os.sep


class explain:
    """``with np.explain() as report: ...``, then ``print(report)``, or ``report`` ends a cell.

    For each source line: time in array operations and outside of them, bytes moved and saved, which
    lines it shared a loop with, why not with others, functions that fell back to NumPy, eager
    operations, reads that triggered flushes, and what to write instead. `lines` and `flushes` have
    the same as objects.

    Operations recorded before run first, and the body's own run at its end. Small operations that
    would run eagerly are recorded, so that their lines are known.
    """

    def __init__(self) -> None:
        self.flushes: list[FlushReport] = []
        self.lines: list[Line] = []
        self.fallbacks: dict[str, Any] = {}
        self.eager: dict[str, Any] = {}
        self.direct = 0
        self.seconds = 0.0

    def __enter__(self) -> explain:
        self._capture = captured(merged=True)
        self._raws = self._capture.__enter__()
        self._before = _core.stats()
        self._clock = LineClock()
        self._clock.start()
        return self

    def __exit__(self, *error: Any) -> None:
        try:
            self._capture.__exit__(*error)
        finally:
            self.seconds = self._capture.seconds
            self._sampled = self._clock.stop()
            self._summarize(_caller(sys._getframe()))

    def _summarize(self, end: str) -> None:
        """Fills the results in, after the block, which ended at the line `end`."""
        from hassium.tools.diagnosis.flushes import flush_reports  # on demand, as below
        from hassium.tools.diagnosis.lines import lines_of

        after = _core.stats()
        self.direct = after["eager_instructions"] - self._before["eager_instructions"]
        self.fallbacks = newer(after["fallbacks"], self._before["fallbacks"])
        self.eager = newer(after["eager"], self._before["eager"])
        self.flushes = flush_reports(self._raws, end)
        self.lines = lines_of(self.flushes, self.fallbacks, self.eager, self._sampled)

    def __str__(self) -> str:
        from hassium.tools.diagnosis import words

        return words.text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from hassium.tools.diagnosis import page

        return page.fragment(self)


class doctor(explain):
    """``with np.doctor(): ...`` prints at its end what `explain` found for each line."""

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        show(self)


def show(report: explain, file: Any = None) -> None:
    """Shows the report: as HTML in a notebook, else as a table."""
    from hassium.tools.diagnosis import places, words

    if file is None and places.in_notebook():
        sys.modules["IPython"].display.display(report)
    else:
        words.print_table(report, file or sys.stdout)


def _caller(frame: FrameType | None) -> str:
    """Returns ``file:line`` of the first frame outside the package, or "" if there is none."""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def newer(after: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Returns the calls counted between the two states, with their lines."""
    found: dict[str, Any] = {}
    for name, row in after.items():
        old = before.get(name, {"count": 0, "sites": {}})
        count = row["count"] - old["count"]
        if count > 0:
            sites = {
                site: n - old["sites"].get(site, 0)
                for site, n in row["sites"].items()
                if n > old["sites"].get(site, 0)
            }
            found[name] = {"count": count, "sites": sites}
    return found
