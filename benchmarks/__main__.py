"""The command line of the harness: run programs, draw a report, compare two runs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

from benchmarks import compare, rivals, run, table
from benchmarks.scripts import NAMES

RESULTS = Path("build/benchmarks.json")


def words(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def numbers(text: str) -> list[int]:
    return [int(part) for part in words(text)]


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    jobs = top.add_subparsers(dest="job", required=True)
    one = jobs.add_parser("run", help="time programs under NumPy and hassium")
    one.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; or all")
    one.add_argument("--sizes", type=words, default=["small", "medium"], help="names or N*N*...")
    one.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    one.add_argument("--threads", type=numbers, default=[], help="such as 1,2")
    one.add_argument("--partitioner", type=words, default=[], help="such as singleton,greedy")
    one.add_argument("--cost-model", type=words, default=[], help="such as bohrium")
    one.add_argument("--cache", type=words, default=["warm"], help="of warm,cold,none")
    one.add_argument(
        "--against", type=words, default=["numpy"], help="such as numba,jax,numexpr; NumPy always"
    )
    pace(one, rounds=3)
    one.add_argument("--json", type=Path, default=RESULTS, metavar="FILE", help="where to")
    two = jobs.add_parser("report", help="draw a run: pictures, one page, tables of the docs")
    two.add_argument("run", nargs="?", type=Path, default=RESULTS, metavar="RUN.json")
    two.add_argument("--folder", type=Path, default=RESULTS.with_suffix(""), help="for the files")
    two.add_argument(
        "--docs", type=Path, nargs="*", metavar="PAGE.md", help="refresh the tables of pages (all)"
    )
    three = jobs.add_parser("compare", help="what has become slower from one run to the next")
    three.add_argument("old", type=Path, metavar="OLD.json")
    three.add_argument("new", type=Path, metavar="NEW.json")
    three.add_argument("--tolerance", type=float, default=0.1, help="share of the speed-up (0.1)")
    pace(three, rounds=7)
    return top


def pace(job: argparse.ArgumentParser, rounds: int) -> None:
    job.add_argument("--rounds", type=int, default=rounds, help=f"of all measurements ({rounds})")
    job.add_argument("--seconds", type=float, default=0.3, help="of steady calls in each process")
    job.add_argument("--limit", type=float, default=300.0, help="seconds for a process (300)")


def pace_of(known: argparse.Namespace) -> run.Pace:
    return run.Pace(known.rounds, known.seconds, known.limit)


def save(records: list[dict[str, Any]], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y-%m-%d %H:%M")
    content = {"machine": run.machine(), "date": stamp, "rows": records}
    file.write_text(json.dumps(content, indent=1) + "\n")


def measured(groups: list[list[run.Case]], pace: run.Pace) -> list[dict[str, Any]]:
    """Returns all records, with a progress bar during measurement."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress("{task.description}", *columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=pace.rounds * sum(map(len, groups)))
        started = 0

        def tick(text: str) -> None:
            nonlocal started
            bar.update(task, completed=started, description=text)
            started += 1

        records = [record for group in run.measure(groups, pace, tick) for record in group]
        bar.update(task, completed=started, description="done")
    return records


def job_run(known: argparse.Namespace, top: argparse.ArgumentParser) -> int:
    unknown = [name for name in known.names if name not in NAMES]
    if unknown:
        top.error(f"no program {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if not set(known.cache) <= {"warm", "cold", "none"}:
        top.error("--cache takes warm, cold and none")
    if known.rounds < 1:
        top.error("--rounds must be at least 1")
    if not set(known.against) <= {"numpy", *rivals.LIBRARIES}:
        top.error(f"--against takes numpy, {', '.join(rivals.LIBRARIES)}")
    chosen = run.configurations(
        known.threads, known.partitioner, known.cost_model, known.cache, known.against
    )
    try:
        groups = run.cases(known.names or NAMES, known.sizes, known.dtype, chosen)
    except ValueError as error:
        top.error(str(error))
    records = measured(groups, pace_of(known))
    table.show(records, Console(width=None if sys.stdout.isatty() else 170))
    save(records, known.json)
    print(f"written to {known.json}")
    return 1 if any(map(table.wrong, records)) else 0


def job_report(known: argparse.Namespace) -> int:
    from benchmarks import report  # matplotlib is slow to import and no other job needs it

    pages = [] if known.docs is None else known.docs or report.DOCS
    for file in report.write(known.run, known.folder, pages):
        print(file)
    return 0


def job_compare(known: argparse.Namespace) -> int:
    old, new = compare.read(known.old), compare.read(known.new)

    def again(groups: list[list[run.Case]]) -> list[dict[str, Any]]:
        return measured(groups, pace_of(known))

    broken = compare.broken(old, new)
    suspected = compare.suspects(old, new, known.tolerance)
    accused = compare.confirmed(old, suspected, known.tolerance, again)
    for case in broken:
        print(f"broken: {case.title()}")
    for case, slower in suspected.items():
        verdict = f"slower, {accused[case]:.2f} times" if case in accused else "not confirmed"
        print(f"{verdict}: {case.title()} (first measured {slower:.2f} times)")
    if not broken and not suspected:
        print(f"nothing is slower by more than {known.tolerance:.0%}")
    return 1 if broken or accused else 0


def main() -> int:
    top = parser()
    known = top.parse_args()
    if known.job == "run":
        return job_run(known, top)
    try:
        return job_report(known) if known.job == "report" else job_compare(known)
    except (OSError, ValueError) as error:
        top.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
