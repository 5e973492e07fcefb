"""``stats()``: the engine's counters, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from hassium import _core

Row = tuple[str, str, str]  # name, value, meaning

GROUPS = {
    "work": "Work",
    "memory": "Memory",
    "planning": "Planning",
    "kernels": "How loops ran",
}
# Figures that do not count events: of the memory pool, and time by stage.
FIGURES = {
    "bytes_held": "bytes of the arrays there are",
    "bytes_peak": "the most of that since reset_stats()",
    "bytes_kept": "freed bytes that are kept for the next arrays",
}
SITES = {
    "fallbacks": "Ran as NumPy's own functions",
    "eager": "Ran at once, on memory shared with NumPy",
}
MOST_SITES = 3  # per function


class Stats(dict[str, Any]):
    """All counters by name; shows the main ones, or all of them with ``stats(all=True)``."""

    def __init__(self, counters: dict[str, Any], everything: bool) -> None:
        super().__init__(counters)
        self._everything = everything

    def groups(self) -> Iterator[tuple[str, list[Row]]]:
        """Yields what is shown: a title and its rows."""
        table = _core.counters_table()
        for group, title in GROUPS.items():
            rows = [
                (row["name"], _value(row["name"], self[row["name"]]), row["meaning"])
                for row in table
                if row["group"] == group and (self._everything or row["main"])
            ]
            if group == "memory":
                shown = FIGURES if self._everything else list(FIGURES)[:2]
                rows += [(name, _value(name, self[name]), FIGURES[name]) for name in shown]
            if rows:
                yield title, rows
        if self._everything:
            yield "Seconds by stage", [(k, f"{v:.6f}", "") for k, v in self["seconds"].items()]
        for name, title in SITES.items():
            if self[name]:
                rows = [(key, f"{row['count']:,}", _places(row)) for key, row in self[name].items()]
                yield title, rows

    def __repr__(self) -> str:
        out = []
        for title, rows in self.groups():
            widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
            out += ["", title]
            out += [f"  {a:{widths[0]}}  {b:>{widths[1]}}  {c}".rstrip() for a, b, c in rows]
        note = "" if self._everything else "\n\nstats(all=True) shows all counters."
        return "\n".join(out[1:]) + note

    def _repr_html_(self) -> str:
        out = ['<table style="font-size: 13px">']
        for title, rows in self.groups():
            out.append(f'<tr><th colspan="3" style="text-align: left">{escape(title)}</th></tr>')
            for name, value, meaning in rows:
                cells = f"<td>{escape(name)}</td><td><b>{escape(value)}</b></td>"
                text = f'<td style="text-align: left">{escape(meaning)}</td>'
                out.append(f"<tr>{cells}{text}</tr>")
        return "".join([*out, "</table>"])


def _value(name: str, value: int) -> str:
    from hassium.tools.diagnosis import quantities  # when shown: import stays cheap

    return quantities.size(value) if name.startswith("bytes_") else f"{value:,}"


def _places(row: dict[str, Any]) -> str:
    from hassium.tools.diagnosis import places

    sites = sorted(row["sites"].items(), key=lambda item: -item[1])
    shown = [f"{places.shown(site)} ({count:,})" for site, count in sites[:MOST_SITES]]
    return ", ".join([*shown, *(["..."] if len(sites) > MOST_SITES else [])])


def stats(*, all: bool = False) -> Stats:
    """Returns the counters since the start or `reset_stats()`, as a dict by name.

    Printed, or at the end of a cell, it shows the main counters in groups with their meanings;
    ``all=True`` shows all of them. `seconds` has the time by stage, `fallbacks` and `eager` the
    functions that fell back to NumPy and the operations on exported memory, with their lines.
    """
    return Stats(_core.stats(), all)
