"""The diagnosis in HTML, for notebooks and as a separate page; its CSS is scoped to it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from hassium.tools.diagnosis import places
from hassium.tools.diagnosis.flushes import FlushReport, heading
from hassium.tools.diagnosis.lines import COLUMNS, MOST_LINES, Line
from hassium.tools.diagnosis.quantities import counted, size
from hassium.tools.diagnosis.words import remainder, summary
from hassium.tools.picture import Picture

if TYPE_CHECKING:
    from hassium.tools.explaining import explain

MOST_PICTURES = 4
MOST_BOXES = 24

STYLE = """<style>
.hassium-report { font: 13px/1.45 sans-serif; max-width: 1000px }
.hassium-report table.lines {
  border-collapse: collapse; table-layout: auto; width: 100%; font: inherit }
.hassium-report table.lines th, .hassium-report table.lines td {
  text-align: right; vertical-align: top; padding: 3px 8px; white-space: nowrap;
  border-bottom: 1px solid rgba(128, 128, 128, .3) }
.hassium-report table.lines th:first-child, .hassium-report table.lines td:first-child {
  text-align: left; white-space: normal; width: 60% }
.hassium-report code { font: 12px monospace; background: none; padding: 0; color: inherit }
.hassium-report .advice { color: #1a7f37 }
.hassium-report .small { opacity: .7; font-size: 12px }
.hassium-report ul { margin: 2px 0 2px 18px; padding: 0 }
.hassium-report svg { max-width: 100%; height: auto }
</style>"""


def _row(line: Line, total: float) -> str:
    name, *cells = line.cells(total)
    notes = [f"<li>{escape(note)}</li>" for note in line.notes()]
    notes += [f'<li class="advice">{escape(advice)}</li>' for advice in line.advice()]
    below = f"<ul>{''.join(notes)}</ul>" if notes else ""
    first = f"<b>{escape(name)}</b> <code>{escape(places.source(line.site))}</code>{below}"
    return "".join(["<tr>", *(f"<td>{cell}</td>" for cell in [first, *cells]), "</tr>"])


def picture(flush: FlushReport) -> str:
    """Returns a drawing of a flush's blocks with lines, dependencies and forbidden pairs."""
    boxes = []
    for number, block in enumerate(flush.blocks[:MOST_BOXES]):
        head, _, more = heading(number, block).partition("; ")
        lines = [(head, "head")]
        for site in block.lines:
            source = places.source(site)
            lines.append((places.shown(site), "traffic"))
            lines += [("  " + source, "code")] if source else []
        boxes.append([*lines, *([(more, "traffic")] if more else [])])
    drawn = len(boxes)
    waits = {pair: ["waits"] for pair in flush.waits if max(pair) < drawn}
    apart = [
        (pair.first, pair.second, pair.why)
        for pair in flush.separated
        if max(pair.first, pair.second) < drawn
    ]
    title = f"{counted(flush.count, 'flush', 'flushes')}: "
    title += flush.trigger
    left = len(flush.blocks) - drawn
    note = f"{left} more loops are left out" if left > 0 else ""
    return Picture(boxes, waits, apart, title, note, "loop").svg()


def fragment(report: explain) -> str:
    """Returns the report for a cell of a notebook."""
    out = [STYLE, '<div class="hassium-report">']
    out += [f"<div>{escape(text)}</div>" for text in summary(report)]
    if report.lines:
        total = sum(line.share.seconds for line in report.lines)
        head = "".join(f"<th>{name}</th>" for name in COLUMNS)
        rows = "".join(_row(line, total) for line in report.lines[:MOST_LINES])
        out.append(f'<table class="lines"><tr>{head}</tr>{rows}</table>')
    out += [f'<div class="small">{escape(text)}</div>' for text in remainder(report)]
    costly = sorted(report.flushes, key=lambda flush: -sum(b.seconds for b in flush.blocks))
    out += [f"<div>{picture(flush)}</div>" for flush in costly[:MOST_PICTURES]]
    if len(costly) > MOST_PICTURES:
        moved = size(sum(b.moved for flush in costly[MOST_PICTURES:] for b in flush.blocks))
        kinds = f"{len(costly) - MOST_PICTURES} other kinds of flushes"
        out.append(f'<div class="small">{kinds}, which moved {moved}, are not drawn</div>')
    return "\n".join([*out, "</div>"])


def document(report: explain, title: str) -> str:
    """Returns the report as a complete page."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    body = f"<h1>{escape(title)}</h1>{fragment(report)}"
    page = f'<html><head>{head}</head><body style="font-family: sans-serif">{body}</body></html>'
    return f"<!doctype html>\n{page}\n"
