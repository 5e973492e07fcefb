"""Figures 14 to 20 of "Fusion of Array Operations at Runtime", drawn for this engine.

    python -m benchmarks.wsp_figures [--size medium] [--rounds N] [--minutes M] [--folder OUT]
                                     [PROGRAM ...]

14 is the cost of one iteration by partitioner, from the streams in `bytecode/`. 15 to 17 are times
by partitioner with a warm cache, a cold one and none; 18 to 20 are times by cost model under the
linear, greedy and optimal partitioners with a warm cache. Each becomes a PNG in the folder, and all
become tables of one markdown page there. The programs are those of the harness, unchanged, and
every time is the median over rounds, each round in its own process. A round has 25 processes per
program; after the first round none is started that would end after so many minutes (60).
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib import pyplot

from benchmarks.__main__ import measured, pace_of
from benchmarks.__main__ import pace as add_pace
from benchmarks.capture import CAPTURED, stored
from benchmarks.partition import markdown
from benchmarks.report import bars
from benchmarks.run import NUMPY, Configuration, Pace, cases, time_of
from hassium import debug

PARTITIONERS = ["singleton", "linear", "greedy", "optimal"]
MODELS = ["bohrium", "max_contract", "max_locality", "robinson", "machine"]
CACHES = {"warm": 15, "cold": 16, "none": 17}
BY_MODEL = {"linear": 18, "greedy": 19, "optimal": 20}

Values = dict[str, dict[str, float]]  # by label, then by program


@dataclass(frozen=True)
class FigureData:
    number: int
    title: str
    unit: str
    values: Values

    def table(self, rows: list[str]) -> str:
        cells = [[row, *(number(one.get(row)) for one in self.values.values())] for row in rows]
        return markdown(["", *self.values], cells)


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"


def costs(programs: list[str]) -> FigureData:
    values: Values = {name: {} for name in PARTITIONERS}
    for program in programs:
        for name in PARTITIONERS:
            answer = debug.partition(stored(program), name, time_limit=10)
            values[name][program] = answer["cost"]
    return FigureData(14, "Cost of one iteration (Def. 13)", "bytes", values)


def wanted() -> dict[tuple[int, str], Configuration]:
    """Returns the configuration to measure for each figure and label; some are shared."""
    found = {
        (figure, name): Configuration("hassium", None, name, "bohrium", cache)
        for cache, figure in CACHES.items()
        for name in PARTITIONERS
    }
    for name, figure in BY_MODEL.items():
        for model in MODELS:
            found[figure, model] = Configuration("hassium", None, name, model, "warm")
    return found


def seconds(programs: list[str], size: str, pace: Pace) -> dict[tuple[str, Configuration], float]:
    """Returns medians by program and configuration; failures are printed and left out."""
    chosen = [NUMPY, *dict.fromkeys(wanted().values())]
    groups = cases(programs, [size], "float64", chosen)
    records = measured(groups, pace)
    found: dict[tuple[str, Configuration], float] = {}
    flat = [case for group in groups for case in group]
    for case, record in zip(flat, records, strict=True):
        if "error" in record:
            print(f"{case.title()}: {record['error']}", file=sys.stderr)
            continue
        time: dict[str, Any] | None = time_of(record)
        if time:
            found[case.program, case.configuration] = time["median"]
    return found


def times(programs: list[str], size: str, pace: Pace) -> list[FigureData]:
    found = seconds(programs, size, pace)
    titles = {figure: f"Time by partitioner, cache {cache}" for cache, figure in CACHES.items()}
    titles |= {f: f"Time by cost model, {name}, cache warm" for name, f in BY_MODEL.items()}
    figures = []
    for figure, title in titles.items():
        values = {
            label: {p: 1e3 * found[p, one] for p in programs if (p, one) in found}
            for (other, label), one in wanted().items()
            if other == figure
        }
        figures.append(FigureData(figure, f"{title}, size {size}", "ms", values))
    return figures


def write(figures: list[FigureData], title: str, folder: Path) -> Path:
    """Draws the figures and makes a page of tables, in the folder; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    page = [f"# {title}", ""]
    for place, one in enumerate(figures):
        rows = list(dict.fromkeys(row for values in one.values.values() for row in values))
        file = f"fig{one.number}.png"
        if any(other.number == one.number for other in figures[:place]):
            file = f"fig{one.number}-{place}.png"
        # Zeros cannot be shown on a logarithmic axis.
        shown = {k: {p: x for p, x in v.items() if x > 0} for k, v in one.values.items()}
        drawn = bars(shown, rows, f"Fig. {one.number}: {one.title}", one.unit, even=None)
        drawn.savefig(folder / file, dpi=110)
        pyplot.close(drawn)
        page += [f"## Fig. {one.number}: {one.title}, {one.unit}", ""]
        page += [one.table(rows), "", f"![Fig. {one.number}]({file})", ""]
    path = folder / "figures.md"
    path.write_text("\n".join(page))
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all")
    parser.add_argument("--size", default="medium", help="small, medium, paper or N*N*...")
    add_pace(parser, 3)
    parser.add_argument("--minutes", type=float, default=60, help="of all rounds (60)")
    parser.add_argument("--folder", type=Path, default=Path("build/wsp_figures"))
    known = parser.parse_args()
    pace = replace(pace_of(known), minutes=known.minutes)
    programs = known.programs or CAPTURED
    if not set(programs) <= set(CAPTURED):
        parser.error(f"PROGRAM is one of {', '.join(CAPTURED)}")
    try:
        figures = [costs(programs), *times(programs, known.size, pace)]
    except ValueError as error:
        parser.error(str(error))
    print(write(figures, "Figures 14 to 20", known.folder))
    complete = all(set(programs) <= set(v) for one in figures for v in one.values.values())
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
