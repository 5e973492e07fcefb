"""Measures partitioners on the instruction streams of the fifteen programs.

    python -m benchmarks.partition [--time-limit S] [--growth] [--plot OUT.png] [PROGRAM ...]

Tables in markdown: the cost of one iteration by partitioner, the time to a proof for one, two and
four iterations in one flush, and with --growth the time of the greedy partitioner on about 100,
1,000 and 10,000 instructions with the exponent of its growth. Times are the least of several runs,
for proofs only where they are quick, and include building the graph. --plot draws the growth and
needs matplotlib.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from benchmarks.capture import CAPTURED, capture, split, stored
from benchmarks.scripts import load
from hassium import debug

LENGTHS = (100, 1_000, 10_000)


def length(text: str) -> int:
    return len(split(text)[1])


def markdown(head: list[str], rows: list[list[str]]) -> str:
    ruler = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ruler, *rows])


def costs(programs: list[str], limit: float) -> str:
    """Returns a table of the bytes of one iteration under the Bohrium model."""
    names = ["singleton", "linear", "unintrusive", "greedy", "optimal"]
    rows = []
    for program in programs:
        text = stored(program)
        found = {name: debug.partition(text, name, time_limit=limit) for name in names}
        cells = [f"{found[name]['cost']:,.0f}" for name in names]
        rows.append([program, str(length(text)), *cells, verdict(found["optimal"])])
    return markdown(["program", "instructions", *names, "optimum"], rows)


def verdict(answer: dict[str, Any]) -> str:
    if answer["optimal"]:
        return "proven"
    return f"gap {1 - answer['bound'] / answer['cost']:.2%}"


def proofs(programs: list[str], limit: float, runs: int = 1) -> str:
    """Returns a table of milliseconds until the optimum is proven, or the gap at the time limit."""
    rows = []
    for program in programs:
        cells = []
        for iterations in (1, 2, 4):
            text = stored(program) if iterations == 1 else capture(program, iterations)
            answer = debug.partition(text, "optimal", time_limit=limit)
            seconds = [answer["seconds"]]
            while seconds[0] < 0.5 and len(seconds) < runs:
                seconds.append(debug.partition(text, "optimal", time_limit=limit)["seconds"])
            taken = f"{1e3 * min(seconds):,.1f} ms"
            cells += [str(length(text)), taken if answer["optimal"] else verdict(answer)]
        rows.append([program, *cells])
    head = [part for k in (1, 2, 4) for part in (f"instructions x{k}", f"proof x{k}")]
    return markdown(["program", *head], rows)


def shrinks(program: str) -> bool:
    """Returns whether the program is an elimination, with as many rows as steps."""
    return len(load(program).SIZES["small"]) == 2 and load(program).SIZES["small"][-1] == 1


def growth(programs: list[str], runs: int) -> dict[str, list[tuple[int, float]]]:
    """Returns instructions and least seconds of greedy, program by program."""
    found: dict[str, list[tuple[int, float]]] = {}
    for program in programs:
        one = length(stored(program))
        for wanted in LENGTHS:
            iterations = max(1, round(wanted / one))
            if iterations * one > 2 * wanted or (shrinks(program) and iterations > 400):
                continue
            text = capture(program, iterations) if iterations > 1 else stored(program)
            seconds = min(debug.partition(text, "greedy")["seconds"] for _ in range(runs))
            found.setdefault(program, []).append((length(text), seconds))
    return found


def exponent(points: list[tuple[int, float]]) -> str:
    """Returns the slope between the last two points, in logarithms."""
    if len(points) < 2:
        return "-"
    (n, s), (m, t) = points[-2:]
    return f"{math.log(t / s) / math.log(m / n):.2f}"


def growth_table(found: dict[str, list[tuple[int, float]]]) -> str:
    rows = []
    for program, points in found.items():
        cells = ["-"] * len(LENGTHS)
        for n, seconds in points:
            nearest = min(range(len(LENGTHS)), key=lambda k: abs(math.log(n / LENGTHS[k])))
            cells[nearest] = f"{1e3 * seconds:.2f} ms ({n:,})"
        rows.append([program, *cells, exponent(points)])
    return markdown(["program", *(f"about {n:,}" for n in LENGTHS), "exponent"], rows)


def plot(found: dict[str, list[tuple[int, float]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for program, points in found.items():
        axes.plot(*zip(*[(n, 1e3 * s) for n, s in points], strict=True), marker=".", label=program)
    axes.plot([100, 10_000], [0.5, 50], "k--", linewidth=0.8, label="linear growth")
    axes.set(xscale="log", yscale="log", xlabel="instructions", ylabel="greedy, ms")
    axes.legend(fontsize="small", ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all")
    parser.add_argument("--time-limit", type=float, default=10.0, metavar="S")
    parser.add_argument("--runs", type=int, default=5, help="the least time counts (5)")
    parser.add_argument("--growth", action="store_true", help="greedy on longer and longer streams")
    parser.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the growth")
    known = parser.parse_args()
    programs = known.programs or CAPTURED
    if not set(programs) <= set(CAPTURED):
        parser.error(f"PROGRAM is one of {', '.join(CAPTURED)}")
    print("Bytes of one iteration by partitioner:\n")
    print(costs(programs, known.time_limit), flush=True)
    print(f"\nTime to proof, at most {known.time_limit:g} s:\n")
    print(proofs(programs, known.time_limit, known.runs), flush=True)
    if known.growth or known.plot:
        found = growth(programs, known.runs)
        print("\nGreedy:\n")
        print(growth_table(found), flush=True)
        if known.plot:
            plot(found, known.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
