"""The diagnosis as text for terminals: a table by `rich` if installed, else plain."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hassium.tools.diagnosis import places
from hassium.tools.diagnosis.lines import COLUMNS, HOW_MEASURED, MOST_LINES
from hassium.tools.diagnosis.quantities import counted, seconds, size

if TYPE_CHECKING:
    from hassium.tools.explaining import explain

MOST_FLUSHES = 8


def summary(report: explain) -> list[str]:
    """Returns the totals."""
    flushes, lines = report.flushes, report.lines
    running = sum(line.share.seconds for line in lines)
    planning = sum(flush.planning for flush in flushes)
    rest = max(report.seconds - running - planning, 0.0)
    count = sum(flush.count for flush in flushes)
    out = [
        f"{seconds(report.seconds)}: {seconds(running)} in array operations, "
        f"{seconds(planning)} planning them, {seconds(rest)} in everything else",
        f"{counted(count, 'flush', 'flushes')}, {size(sum(line.share.moved for line in lines))} "
        f"moved, {size(sum(line.share.saved for line in lines))} saved by sharing loops",
    ]
    if report.direct:
        out.append(f"{counted(report.direct, 'operation')} on few elements ran at the call")
    return out


def remainder(report: explain) -> list[str]:
    """Returns notes on lines that the table omits, and on how its figures were measured."""
    left = report.lines[MOST_LINES:]
    out = []
    if left:
        time = seconds(sum(line.share.seconds for line in left))
        out.append(f"... and {counted(len(left), 'line')} more, {time}")
    return [*out, HOW_MEASURED] if report.lines else out


def table(report: explain) -> str:
    """Returns the lines as a plain table, each with its text, notes and advice below."""
    lines = report.lines[:MOST_LINES]
    total = sum(line.share.seconds for line in report.lines)
    rows = [COLUMNS, *(line.cells(total) for line in lines)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    out = []
    for k, row in enumerate(rows):
        first, *others = row
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        out.append("  ".join([f"{first:{widths[0]}}", *cells]).rstrip())
        if k:
            line = lines[k - 1]
            out += [f"    {text}" for text in (places.source(line.site),) if text]
            for mark, notes in (("-", line.notes()), (">", line.advice())):
                for note in notes:
                    out += wrap(
                        note, 100, initial_indent=f"      {mark} ", subsequent_indent=" " * 8
                    )
    return "\n".join(out)


def text(report: explain) -> str:
    """Returns the whole report."""
    if not report.flushes and not report.lines and not report.direct:
        return "nothing ran"
    out = ["\n".join(summary(report))]
    if report.lines:
        out.append("\n".join([table(report), *remainder(report)]))
    shown = report.flushes[:MOST_FLUSHES]
    out += [flush.text() for flush in shown]
    if len(report.flushes) > len(shown):
        out.append(f"... and {len(report.flushes) - len(shown)} other kinds of flushes")
    return "\n\n".join(out)


def print_table(report: explain, file: Any) -> None:
    """Prints the totals and the table by line, by `rich` if installed."""
    try:
        from rich.console import Console, Group
        from rich.markup import escape
        from rich.padding import Padding
        from rich.table import Table
    except ImportError:
        print("\n".join([*summary(report), "", table(report), *remainder(report)]), file=file)
        return
    console = Console(file=file, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = 110
    rows = Table(box=None, header_style="bold", pad_edge=False, expand=False)
    for k, name in enumerate(COLUMNS):
        rows.add_column(name, justify="right" if k else "left", no_wrap=bool(k))
    total = sum(line.share.seconds for line in report.lines)
    for line in report.lines[:MOST_LINES]:
        name, *cells = map(escape, line.cells(total))
        below = [(2, f"[dim]{escape(places.source(line.site))}[/]")]
        below += [(4, escape(note)) for note in line.notes()]
        below += [(4, f"[green]> {escape(advice)}[/]") for advice in line.advice()]
        texts = [Padding(text, (0, 0, 0, indent)) for indent, text in below]
        rows.add_row(Group(f"[bold]{name}[/]", *texts), *cells)
    console.print(*(escape(part) for part in summary(report)), sep="\n")
    if report.lines:
        console.print(rows)
    console.print(*(escape(part) for part in remainder(report)), sep="\n", style="dim")
