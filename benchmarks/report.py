"""`python -m benchmarks report`: pictures of a run, a page with them, and tables for the docs.

Two marks in a page of the docs enclose a table: `benchmarks` for all rows of a run, `programs` for
one line per program.
"""

from __future__ import annotations

import base64
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.run import geometric_mean, time_of
from benchmarks.table import agreement, amount, duration, speed_ups

DOCS = [Path("docs/performance.md"), Path("README.md")]
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: 0.15em 0.8em; border-bottom: 1px solid #ddd; text-align: right; }
td:nth-child(-n+2), th:nth-child(-n+2) { text-align: left; }
img { max-width: 100%; }
"""
HEAD = ["program", "configuration", "first call", "steady", "speed-up", "result", "peak memory"]


def sizes_of(records: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(record["size_name"] for record in records))


def grouped(records: list[dict[str, Any]], key: str) -> dict[str, dict[str, float]]:
    """Returns a figure of every row by label, then by program; failed rows are left out."""
    found: dict[str, dict[str, float]] = {}
    for record in records:
        if record.get(key) is not None and "error" not in record:
            found.setdefault(record["label"], {})[record["program"]] = record[key]
    return found


def bars(
    values: dict[str, dict[str, float]],
    programs: list[str],
    title: str,
    axis: str,
    even: float | None = 1.0,
) -> Figure:
    """Draws horizontal bars on a logarithmic axis: a group per program, a colour per label.

    A line marks `even`, where neither is better.
    """
    thickness = 0.8 / max(len(values), 1)
    height = 1.5 + len(programs) * max(0.32, 0.16 * len(values))
    figure, axes = pyplot.subplots(figsize=(9, height), layout="constrained")
    for number, (label, by_program) in enumerate(values.items()):
        places = [row + (number + 0.5) * thickness - 0.4 for row in range(len(programs))]
        lengths = [by_program.get(program, float("nan")) for program in programs]
        drawn = axes.barh(places, lengths, 0.9 * thickness, label=label)
        axes.bar_label(drawn, [f"{x:.3g}" if x == x else "" for x in lengths], padding=3, size=8)
    known = [x for by_program in values.values() for x in by_program.values()]
    axes.set_xscale("log")
    axes.set_xlim(0.6 * min(known, default=1.0), 1.6 * max(known, default=1.0))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    if even is not None:
        axes.axvline(even, color="0.3", linewidth=1)
    axes.set_yticks(range(len(programs)), programs)
    axes.invert_yaxis()
    axes.set_xlabel(axis)
    axes.set_title(title)
    if values:
        figure.legend(loc="outside lower center", ncols=4)
    return figure


def figures(records: list[dict[str, Any]]) -> dict[str, Figure]:
    """Returns all pictures by file name."""
    found = {}
    for size in sizes_of(records):
        chosen = [record for record in records if record["size_name"] == size]
        programs = list(dict.fromkeys(record["program"] for record in chosen))
        theirs = {r["program"]: r for r in chosen if r["label"] == "NumPy" and "error" not in r}
        mine = [r for r in chosen if r["label"] != "NumPy" and r["program"] in theirs]
        ratios = [
            r | {"memory": r["peak_bytes"] / theirs[r["program"]]["peak_bytes"]}
            for r in mine
            if "peak_bytes" in r
        ]
        name = "".join(letter if letter.isalnum() else "-" for letter in size)
        speed, memory = grouped(mine, "speed_up"), grouped(ratios, "memory")
        label = "NumPy's time over the library's (longer is better)"
        found[f"speed-{name}"] = bars(speed, programs, f"Speed-up over NumPy, size {size}", label)
        label = "hassium's peak memory over NumPy's (shorter is better)"
        found[f"memory-{name}"] = bars(memory, programs, f"Peak memory, size {size}", label)
    return found


def cells(record: dict[str, Any]) -> list[str]:
    name = [record["program"], record["label"]]
    if "absent" in record:
        return [*name, "-", "-", "-", record["absent"], "-"]
    if "error" in record:
        return [*name, "failed", "", "", record["error"], ""]
    steady = record["steady"]
    return [
        *name,
        duration(record["first"]["median"]),
        duration(steady["median"]) if steady else "",
        f"{record['speed_up']:.2f}" if record["speed_up"] else "",
        agreement(record),
        amount(record["peak_bytes"]),
    ]


def means(records: list[dict[str, Any]]) -> list[str]:
    return [
        f"{label}: speed-up {geometric_mean(values):.2f} (geometric mean), least {min(values):.2f}."
        for label, values in speed_ups(records).items()
    ]


def machine_line(run: dict[str, Any]) -> str:
    machine = run["machine"]
    return (
        f"Measured on {run['date']}: {machine['processor']}, {machine['processors']} processors, "
        f"Python {machine['python']}, NumPy {machine['numpy']}."
    )


def markdown(run: dict[str, Any]) -> str:
    """Returns the tables in the form of the docs."""
    lines = [machine_line(run)]
    for size in sizes_of(run["rows"]):
        chosen = [record for record in run["rows"] if record["size_name"] == size]
        lines += ["", f"### Size {size}", "", f"| {' | '.join(HEAD)} |"]
        lines.append("|---|---|" + "---:|" * (len(HEAD) - 2))
        lines += [f"| {' | '.join(cells(record))} |" for record in chosen]
        lines += ["", *means(chosen)]
    return "\n".join(lines)


def chosen_labels(records: list[dict[str, Any]]) -> dict[str, str]:
    """Returns the last configuration of every library: usually that with the most threads."""
    return {record["configuration"]["library"]: record["label"] for record in records}


def short_cell(record: dict[str, Any] | None) -> str:
    if record is None or "absent" in record:
        return "-"
    if "error" in record:
        return "failed"
    took = time_of(record)
    text = duration(took["median"]) if took else "-"
    return f"{text} ({record['speed_up']:.2g}x)" if record.get("speed_up") else text


def programs(run: dict[str, Any]) -> str:
    """Returns a line per program, at medium size if present: library times and speed-ups."""
    sizes = sizes_of(run["rows"])
    size = "medium" if "medium" in sizes else sizes[-1]
    records = [record for record in run["rows"] if record["size_name"] == size]
    labels = chosen_labels(records)
    found = {(record["program"], record["label"]): record for record in records}
    names = [label if label != "NumPy" else "NumPy, 1 thr" for label in labels.values()]
    names = [f"hassium {name}" if re.match(r"\d", name) else name for name in names]
    lines = [machine_line(run), "", f"| program, size {size} | {' | '.join(names)} |"]
    lines.append("|---|" + "---:|" * len(labels))
    for program in dict.fromkeys(record["program"] for record in records):
        row = [found.get((program, label)) for label in labels.values()]
        texts = [short_cell(record) for record in row]
        if row[0] is not None:
            texts[0] = texts[0].partition(" (")[0]  # NumPy's speed-up over itself is always 1
        lines.append(f"| {program} | {' | '.join(texts)} |")
    shown = [record for record in records if record["label"] in labels.values()]
    return "\n".join([*lines, "", *means(shown)])


TABLES = {"benchmarks": markdown, "programs": programs}


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def refresh(file: Path, run: dict[str, Any]) -> None:
    """Replaces the text between the marks of a page."""
    page, refreshed = file.read_text(), 0
    for name, table in TABLES.items():
        begin, end = marks(name)
        head, first, rest = page.partition(begin)
        _, last, tail = rest.partition(end)
        if first and last:
            page = f"{head}{begin}\n\n{table(run)}\n\n{end}{tail}"
            refreshed += 1
    if not refreshed:
        wanted = " or ".join(" ... ".join(marks(name)) for name in TABLES)
        raise ValueError(f"{file} does not have the marks {wanted}")
    file.write_text(page)


def page(run: dict[str, Any], pictures: dict[str, bytes]) -> str:
    """Returns one self-contained page."""
    parts = [f"<h1>hassium: benchmarks</h1><p>{html.escape(machine_line(run))}</p>"]
    for name, data in pictures.items():
        source = base64.b64encode(data).decode()
        parts.append(f'<p><img alt="{name}" src="data:image/png;base64,{source}"></p>')
    for size in sizes_of(run["rows"]):
        chosen = [record for record in run["rows"] if record["size_name"] == size]
        parts.append(f"<h2>Size {html.escape(size)}</h2><table>")
        parts.append("<tr>" + "".join(f"<th>{name}</th>" for name in HEAD) + "</tr>")
        for record in chosen:
            row = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells(record))
            parts.append(f"<tr>{row}</tr>")
        parts.append("</table>")
        parts += [f"<p>{html.escape(line)}</p>" for line in means(chosen)]
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><title>hassium: benchmarks</title><style>{STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head><body>\n{body}\n</body></html>\n"


def write(source: Path, folder: Path, docs: list[Path]) -> list[Path]:
    """Draws a run into a folder and refreshes the tables of pages; returns the files written."""
    run = json.loads(source.read_text())
    for file in docs:
        refresh(file, run)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for name, figure in figures(run["rows"]).items():
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=110)
        pyplot.close(figure)
        pictures[name] = stream.getvalue()
        (folder / f"{name}.png").write_bytes(pictures[name])
    index = folder / "index.html"
    index.write_text(page(run, pictures))
    written = [index, *(folder / f"{name}.png" for name in pictures)]
    return [*written, *docs]
