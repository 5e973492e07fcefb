"""``python -m hassium.wsp FILE``: partitions a program in text form and says what it costs.

FILE holds a program of instructions as docs/bytecode.md describes it, or of array combinators as
hassium/wsp/combinators.py does; ``-`` reads standard input. The program is partitioned exactly as
written. Blocks are lists of instruction numbers, from 0, every line but comments and ``base``
lines; or of names. The exit status is 2 for a program, a name or a limit that is no good.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from hassium import _core, debug
from hassium.tools.wsp_picture import PartitionPicture
from hassium.wsp import combinators, costs, exhaustive, greedy, ilp
from hassium.wsp.solver import Clock


def allowed(setting: str) -> list[str]:
    """Returns the allowed words of a setting."""
    rows = {row["name"]: row for row in _core.settings_table()}
    return str(rows[setting]["allowed"]).split()


def partitioners() -> list[str]:
    """Returns the engine's partitioners: all words but the one that chooses among them."""
    return [name for name in allowed("partitioner") if name != "auto"]


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hassium.wsp", description=(__doc__ or "").partition("\n")[0]
    )
    names = ", ".join(partitioners())
    models = ", ".join(allowed("cost_model"))
    parser.add_argument("file", metavar="FILE", help="a program in text form; - is standard input")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"{names} or ilp, for combinators {', '.join(Combinators.algorithms)}; "
        f"all: a table of all (but ilp of instructions) with all cost models "
        f"(default {Instructions.best}, for combinators {Combinators.best})",
    )
    parser.add_argument(
        "--cost-model",
        metavar="NAME",
        help=f"{models} (default {Instructions.model}), for combinators "
        f"{', '.join(costs.COSTS)} (default {Combinators.model})",
    )
    parser.add_argument(
        "--unit", default="bytes", help="what bohrium counts: bytes or elements (default bytes)"
    )
    parser.add_argument(
        "--legality",
        default="full",
        help="paper: identical views and equal shapes alone; full: all rules (default full)",
    )
    parser.add_argument(
        "--time-limit",
        metavar="S",
        type=float,
        default=10.0,
        help="seconds after which a search hands out the best it has (default 10)",
    )
    parser.add_argument("--json", action="store_true", help="cost blocks optimal bound seconds")
    picture = parser.add_mutually_exclusive_group()
    picture.add_argument("--dot", metavar="OUT", help="write a picture for graphviz")
    picture.add_argument("--svg", metavar="OUT", help="write a picture")
    return parser


def number(value: float) -> str:
    """Formats whole numbers as such, and seconds and other fractions with six digits."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def verdict(result: dict[str, Any]) -> str:
    if result["optimal"]:
        return "optimal (proven)"
    gap = 1 - result["bound"] / result["cost"] if result["cost"] else 0.0
    return f"not proven; bound {number(result['bound'])}, gap {gap:.2%}"


def report(result: dict[str, Any], title: str, blocks: str) -> str:
    head = (
        f"{title}: cost {number(result['cost'])}, {len(result['blocks'])} blocks, "
        f"{verdict(result)}, {1e3 * result['seconds']:.3f} ms"
    )
    return "\n".join([head, *([blocks] if blocks else [])])


def table(rows: list[dict[str, Any]]) -> str:
    """Cost by partitioner (rows) and cost model (columns); a star marks a proven optimum."""
    models = list(dict.fromkeys(row["cost_model"] for row in rows))
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    cells = {
        (row["algorithm"], row["cost_model"]): number(row["cost"]) + ("*" if row["optimal"] else "")
        for row in rows
    }
    grid = [["cost", *models], *([name, *(cells[name, m] for m in models)] for name in names)]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in grid]
    return "\n".join([*lines, "* proven optimal; machine estimates seconds"])


class Instructions:
    """A program of instructions; `all` compares the engine's partitioners."""

    best = partitioners()[-1]  # the default partitioner: the one that finds most
    model = "bohrium"

    def __init__(self, text: str, known: argparse.Namespace) -> None:
        self.text, self.known = text, known
        self.algorithms, self.models = partitioners(), allowed("cost_model")

    def solve(self, algorithm: str, model: str) -> dict[str, Any]:
        unit, legality, seconds = self.known.unit, self.known.legality, self.known.time_limit
        if algorithm == "ilp":
            return ilp.partition_instructions(self.text, model, unit, legality, seconds)
        return debug.partition(
            self.text, algorithm, model, unit=unit, legality=legality, time_limit=seconds
        )

    def title(self, algorithm: str, model: str) -> str:
        return f"{algorithm}, {model}" + (f" in {self.known.unit}" if model == "bohrium" else "")

    def blocks(self, result: dict[str, Any]) -> str:
        return "\n".join(
            f"block {k}: {' '.join(map(str, b))}" for k, b in enumerate(result["blocks"])
        )

    def draw(self, result: dict[str, Any], title: str) -> None:
        legality = self.known.legality
        described = debug.partition(self.text, result["blocks"], legality=legality, described=True)
        picture = PartitionPicture(self.text, described, title)
        path = Path(self.known.svg or self.known.dot)
        path.write_text(picture.svg() if self.known.svg else picture.dot())


class Combinators:
    """A program of array combinators."""

    algorithms = ("greedy-top-down", "greedy-bottom-up", "exhaustive", "ilp")
    best = "ilp"
    model = "work"

    def __init__(self, text: str, known: argparse.Namespace) -> None:
        self.program, self.known = combinators.parse(text), known
        self.models = list(costs.COSTS)

    def solve(self, algorithm: str, model: str) -> dict[str, Any]:
        cost = costs.find(model)
        if algorithm == "ilp":
            return ilp.partition_combinators(self.program, cost, self.known.time_limit)
        clock = Clock(math.inf)
        if algorithm == "exhaustive":
            blocks = exhaustive.partition(self.program, cost)
        elif algorithm in self.algorithms:
            blocks = greedy.partition(self.program, algorithm == "greedy-bottom-up")
        else:
            names = ", ".join(self.algorithms)
            raise ValueError(f"unknown partitioner '{algorithm}': must be one of {names}")
        price = costs.price(self.program, blocks, cost)
        proven = algorithm == "exhaustive"
        return {
            "cost": price,
            "blocks": blocks,
            "optimal": proven,
            "bound": price if proven else 0.0,
            "seconds": clock.spent(),
        }

    def title(self, algorithm: str, model: str) -> str:
        return f"{algorithm}, {model}"

    def blocks(self, result: dict[str, Any]) -> str:
        return costs.dump(self.program, result["blocks"])

    def draw(self, result: dict[str, Any], title: str) -> None:
        raise ValueError("pictures are of programs of instructions")


def read(name: str) -> str:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not a text in UTF-8") from error


def run(known: argparse.Namespace) -> str:
    """Returns the output. ValueError and OSError are errors of the user's."""
    if not known.time_limit >= 0 or math.isinf(known.time_limit):
        raise ValueError("--time-limit must be a number of seconds, 0 or more")
    text = read(known.file)
    kind = Combinators if combinators.is_combinators(text) else Instructions
    problem = kind(text, known)
    if known.algorithm == "all":
        if known.dot or known.svg:
            raise ValueError("a picture shows one partition: name one --algorithm")
        rows = [
            {"algorithm": name, "cost_model": model} | problem.solve(name, model)
            for name in problem.algorithms
            for model in ([known.cost_model] if known.cost_model else problem.models)
        ]
        return json.dumps(rows, indent=1) if known.json else table(rows)
    algorithm, model = known.algorithm or problem.best, known.cost_model or problem.model
    result = problem.solve(algorithm, model)
    title = problem.title(algorithm, model)
    if known.dot or known.svg:
        problem.draw(result, f"{title}: cost {number(result['cost'])}")
    if known.json:
        keys = ["cost", "blocks", "optimal", "bound", "seconds"]
        return json.dumps({key: result[key] for key in keys})
    return report(result, title, problem.blocks(result))


def main(arguments_given: list[str] | None = None) -> int:
    known = arguments().parse_args(arguments_given)
    try:
        print(run(known))
    except (ValueError, OSError, MemoryError) as error:
        said = str(error) or type(error).__name__
        print(f"python -m hassium.wsp: error: {said}", file=sys.stderr)
        return 2
    return 0
