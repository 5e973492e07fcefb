"""Output of `run`: one table per size, and the mean speed-up of every configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.run import geometric_mean, time_of

COLUMNS = ["first", "steady", "spread", "speed-up", "result", "peak", "blocks", "saved"]
COLUMNS += ["contracted", "cache hits", "fallbacks"]


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def amount(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count / 1e3:.3g} kB"


def agreement(record: Mapping[str, Any]) -> str:
    found = record.get("agreement")
    if not found:
        return ""
    if found["exact"]:
        return "same bits"
    gap = "other shape" if found["difference"] is None else f"{found['difference']:.1g}"
    return gap if found["agrees"] else f"WRONG {gap}"


def hits(statistics: Mapping[str, Any]) -> str:
    hit, missed = statistics.get("cache_hits", 0), statistics.get("cache_misses", 0)
    return f"{hit / (hit + missed):.0%}" if hit + missed else ""


def cells(record: Mapping[str, Any]) -> list[str]:
    if "absent" in record:
        return ["-"] * len(COLUMNS)
    if "error" in record:
        return ["failed", *[""] * (len(COLUMNS) - 1)]
    first, steady = record["first"], record["steady"]
    timed = steady or first
    found = record.get("statistics") or {}
    return [
        duration(first["median"]),
        duration(steady["median"]) if steady else "",
        f"{(timed['most'] - timed['least']) / timed['median']:.0%}",
        f"{record['speed_up']:.2f}" if record["speed_up"] else "",
        agreement(record),
        amount(record["peak_bytes"]) + ("" if record.get("memory_within", True) else " OVER"),
        str(found.get("blocks", "")),
        amount(found["bytes_saved"]) if "bytes_saved" in found else "",
        str(found.get("contracted", "")),
        hits(found),
        str(len(found["fallbacks"])) if "fallbacks" in found else "",
    ]


def speed_ups(records: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Returns the speed-ups of each configuration but NumPy's own."""
    found: dict[str, list[float]] = {}
    for record in records:
        if record["configuration"]["library"] != "numpy" and record.get("speed_up"):
            found.setdefault(record["label"], []).append(record["speed_up"])
    return found


def wrong(record: Mapping[str, Any]) -> bool:
    """Returns whether a row failed, disagrees with NumPy, or exceeds its memory limit."""
    found = record.get("agreement")
    if "absent" in record:
        return False
    if record.get("memory_within") is False:
        return True
    return "error" in record or bool(found and not found["agrees"]) or time_of(dict(record)) is None


def show(records: list[dict[str, Any]], console: Console) -> None:
    for size in dict.fromkeys(record["size_name"] for record in records):
        chosen = [record for record in records if record["size_name"] == size]
        shown = Table(title=f"size {size}")
        for column in ("program", "configuration", *COLUMNS):
            shown.add_column(column, no_wrap=True, justify="right" if column in COLUMNS else "left")
        last = None
        for record in chosen:
            if last not in (None, record["program"]):
                shown.add_section()
            name = record["program"] if record["program"] != last else ""
            last = record["program"]
            shown.add_row(name, record["label"], *cells(record))
        console.print(shown)
        for record in chosen:
            if "error" in record:
                name = f"{record['program']} {record['label']}"
                console.print(f"{name} failed: {record['error']}", markup=False, highlight=False)
        for label, values in speed_ups(chosen).items():
            mean, least = geometric_mean(values), min(values)
            console.print(f"{label}: speed-up {mean:.2f} (geometric mean), least {least:.2f}")
