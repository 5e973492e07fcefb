"""``python -m hassium.wsp FILE``: partitions a program in text form and says what it costs.

FILE holds a program as docs/bytecode.md describes it; ``-`` reads standard input. The program is
partitioned exactly as written. Blocks are lists of instruction numbers: from 0, every line but
comments and ``base`` lines. The exit status is 2 for a program, a name or a limit that is no good.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from hassium import _core, debug
from hassium.tools.wsp_picture import Picture


def allowed(setting: str) -> list[str]:
    """The words that a setting knows."""
    rows = {row["name"]: row for row in _core.settings_table()}
    return str(rows[setting]["allowed"]).split()


def partitioners() -> list[str]:
    """All but the word by which the engine chooses among them."""
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
        help=f"{names}; all: a table of all with all cost models (default {best()})",
    )
    parser.add_argument("--cost-model", metavar="NAME", help=f"{models} (default bohrium)")
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


def best() -> str:
    """The partitioner to use when none is named: the one that finds most."""
    return partitioners()[-1]


def number(value: float) -> str:
    """Whole numbers as such; seconds and other fractions with six digits."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def verdict(result: dict[str, Any]) -> str:
    if result["optimal"]:
        return "optimal (proven)"
    gap = 1 - result["bound"] / result["cost"]
    return f"not proven; bound {number(result['bound'])}, gap {gap:.2%}"


def report(result: dict[str, Any], title: str) -> str:
    lines = [
        f"{title}: cost {number(result['cost'])}, {len(result['blocks'])} blocks, "
        f"{verdict(result)}, {1e3 * result['seconds']:.3f} ms"
    ]
    lines += [f"block {k}: {' '.join(map(str, b))}" for k, b in enumerate(result["blocks"])]
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> str:
    """Cost by partitioner (rows) and cost model (columns); a star where it is proven optimal."""
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


def everything(text: str, known: argparse.Namespace) -> list[dict[str, Any]]:
    models = [known.cost_model] if known.cost_model else allowed("cost_model")
    return [
        {"algorithm": name, "cost_model": model}
        | debug.partition(
            text,
            name,
            model,
            unit=known.unit,
            legality=known.legality,
            time_limit=known.time_limit,
        )
        for name in partitioners()
        for model in models
    ]


def read(name: str) -> str:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not a text in UTF-8") from error


def run(known: argparse.Namespace) -> str:
    """What to print. ValueError and OSError are the user's."""
    if not known.time_limit >= 0 or math.isinf(known.time_limit):
        raise ValueError("--time-limit must be a number of seconds, 0 or more")
    text = read(known.file)
    if known.algorithm == "all":
        if known.dot or known.svg:
            raise ValueError("a picture shows one partition: name one --algorithm")
        rows = everything(text, known)
        return json.dumps(rows, indent=1) if known.json else table(rows)
    algorithm, model = known.algorithm or best(), known.cost_model or "bohrium"
    result = debug.partition(
        text,
        algorithm,
        model,
        unit=known.unit,
        legality=known.legality,
        time_limit=known.time_limit,
        described=bool(known.dot or known.svg),
    )
    title = f"{algorithm}, {model}" + (f" in {known.unit}" if model == "bohrium" else "")
    if known.dot or known.svg:
        picture = Picture(text, result, f"{title}: cost {number(result['cost'])}")
        Path(known.svg or known.dot).write_text(picture.svg() if known.svg else picture.dot())
    if known.json:
        keys = ["cost", "blocks", "optimal", "bound", "seconds"]
        return json.dumps({key: result[key] for key in keys})
    return report(result, title)


def main(arguments_given: list[str] | None = None) -> int:
    known = arguments().parse_args(arguments_given)
    try:
        print(run(known))
    except (ValueError, OSError, MemoryError) as error:
        said = str(error) or type(error).__name__
        print(f"python -m hassium.wsp: error: {said}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
