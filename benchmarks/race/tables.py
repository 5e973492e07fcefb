"""The tables of `engine.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from race.contenders import RIVALS
from race.workload import Pair, Workload


def cell(value: float | None, digits: int = 2) -> str:
    if value is None:
        return "-"
    return f"{value:.{digits if value < 9.95 else digits - 1}f}"


def pair(values: list[float | None]) -> str:
    return "/".join(cell(value) for value in values)


def marked(mark: Pair | None) -> str:
    return f"{mark[0]:g}/{mark[1]:g}" if mark else ""


def lines(rows: list[list[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    text = []
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        text.append("  ".join(cells))
    return "\n".join(text)


class Figures:
    """Medians of one race, by contender and threads."""

    def __init__(self, race: Mapping[str, Any], first: int) -> None:
        self.race, self.first = race, first

    def seconds(self, name: str, threads: int) -> float | None:
        found = self.race["seconds"].get(f"{name}/{threads}")
        return None if found is None else float(found)

    def speed_up(self, name: str, threads: int) -> float | None:
        base, own = self.seconds("numpy", self.first), self.seconds(name, threads)
        return None if base is None or own is None else base / own

    def best_rival(self, threads: int) -> tuple[float | None, str]:
        found = [(self.speed_up(name, threads), name) for name in RIVALS]
        known = [(value, name) for value, name in found if value is not None]
        return max(known) if known else (None, "")

    def of_bound(self, threads: int) -> float | None:
        own = self.seconds("hassium", threads)
        if not self.race["bytes"] or own is None:
            return None
        return float(self.race["bytes"] / self.race["memory"][str(threads)]) / own


def has_other(race: Mapping[str, Any]) -> bool:
    return any(name.startswith("against/") for name in race["seconds"])


def show(figures: Mapping[str, Any], works: Mapping[str, Workload], threads: list[int]) -> None:
    names = "/".join(f"{count}T" for count in threads)
    print("memory, GB/s: " + "  ".join(f"{k} {v / 1e9:.1f}" for k, v in figures["probe"].items()))
    head = ["workload", "elements", f"ms {names}", f"x NumPy {names}", "mark", "met"]
    head += [f"best rival {names}", f"hand {names}", f"of hand {names}", f"of bound {names}"]
    head += [f"against {names}"] if any(has_other(race) for race in figures["races"]) else []
    gain = f"{threads[-1]}T/{threads[0]}T"
    rows = [[*head, gain, f"memory {gain}", "ns apart", "faults"]]
    for race in figures["races"]:
        rows.append(row_of(Figures(race, threads[0]), works[race["workload"]], threads))
        if len(rows[-1]) < len(rows[0]):
            rows[-1].insert(-4, "")
    print(lines(rows))


def row_of(race: Figures, work: Workload, threads: list[int]) -> list[str]:
    own = [race.seconds("hassium", count) for count in threads]
    ups = [race.speed_up("hassium", count) for count in threads]
    hand = [race.seconds("hand", count) for count in threads]
    rivals = [race.best_rival(count) for count in threads]
    memory = [race.seconds("memory", count) for count in threads]
    share = [
        h / o if h is not None and o is not None else None for h, o in zip(hand, own, strict=True)
    ]
    met = ""
    if work.mark and race.race["size"] == work.medium and len(threads) <= 2:
        short = [u / m for u, m in zip(ups, work.mark, strict=False) if u is not None]
        met = "yes" if min(short) >= 1 else f"{min(short):.2f}"
    other = [race.seconds("against", count) for count in threads]
    gain = [b / a if a and b else None for a, b in zip(own, other, strict=True)]
    scaling = [part[0] / part[-1] if part[0] and part[-1] else None for part in (own, memory)]
    return [
        work.name,
        f"{race.race['size']:,}",
        "/".join(cell(None if value is None else 1e3 * value, 3) for value in own),
        pair(ups),
        marked(work.mark),
        met,
        pair([value for value, _ in rivals]) + " " + rivals[0][1],
        pair([race.speed_up("hand", count) for count in threads]),
        pair(share),
        pair([race.of_bound(count) for count in threads]),
        *([pair(gain)] if has_other(race.race) else []),
        *(cell(value) for value in scaling),
        "/".join("-" if value is None else f"{value:.0f}" for value in race.race["apart"]),
        str(race.race["faults"]),
    ]
