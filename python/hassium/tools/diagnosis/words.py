"""The diagnosis as text."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hassium.tools.diagnosis import places
from hassium.tools.diagnosis.lines import COLUMNS, HOW_MEASURED, MOST_LINES
from hassium.tools.diagnosis.quantities import counted, seconds, size

if TYPE_CHECKING:
    from hassium.tools.explaining import explain

MOST_FLUSHES = 8
MOST_WIDTH = 100
STYLES = {"name": "bold", "source": "dim", "advice": "green"}  # of rich


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
        time = seconds(sum(line.share.seconds + line.outside for line in left))
        out.append(f"... and {counted(len(left), 'line')} more, {time}")
    return [*out, HOW_MEASURED] if report.lines else out


def rows(report: explain, width: int = MOST_WIDTH) -> Iterator[tuple[str, str]]:
    """Yields the style and text of each line of the table: a row, and its notes below it."""
    lines = report.lines[:MOST_LINES]
    total = sum(line.share.seconds for line in report.lines)
    cells = [COLUMNS, *(line.cells(total) for line in lines)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(COLUMNS))]
    for k, (first, *others) in enumerate(cells):
        figures = (f"{cell:>{size}}" for cell, size in zip(others, widths[1:], strict=True))
        yield "name", "  ".join([f"{first:{widths[0]}}", *figures]).rstrip()
        if k:
            line = lines[k - 1]
            if text := places.source(line.site):
                yield "source", f"    {text}"
            for mark, style, notes in (("-", "", line.notes()), (">", "advice", line.advice())):
                for note in notes:
                    for part in wrapped(note, width, f"      {mark} ", " " * 8):
                        yield style, part


def wrapped(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    return wrap(text, width, initial_indent=first, subsequent_indent=others)


def table(report: explain) -> str:
    """Returns the lines as a plain table, each with its text, notes and advice below."""
    return "\n".join(text for _, text in rows(report))


def text(report: explain) -> str:
    """Returns the whole report."""
    if not report.flushes and not report.lines and not report.direct:
        return "nothing ran"
    out = ["\n".join(summary(report))]
    if report.lines:
        below = [part for text in remainder(report) for part in wrapped(text, MOST_WIDTH)]
        out.append("\n".join([table(report), *below]))
    shown = report.flushes[:MOST_FLUSHES]
    out += [flush.text() for flush in shown]
    if len(report.flushes) > len(shown):
        out.append(f"... and {len(report.flushes) - len(shown)} other kinds of flushes")
    return "\n\n".join(out)


def print_table(report: explain, file: Any) -> None:
    """Prints totals and table by line, in the width of a terminal; by `rich` if installed."""
    terminal = file.isatty()
    width = min(MOST_WIDTH, get_terminal_size().columns) if terminal else MOST_WIDTH
    parts = [("", part) for text in summary(report) for part in wrapped(text, width)]
    parts += [("", ""), *rows(report, width)] if report.lines else []
    parts += [("source", part) for text in remainder(report) for part in wrapped(text, width)]
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        print("\n".join(text for _, text in parts), file=file)
        return
    console = Console(file=file)
    for style, text in parts:
        console.print(Text(text, STYLES.get(style, "")), soft_wrap=True)
