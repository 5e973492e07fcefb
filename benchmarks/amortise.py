"""Measures a cold merge cache on programs of twenty steps: `python -m benchmarks.amortise`.

    python -m benchmarks.amortise [PROGRAM ...] [--size medium] [--steps 20] [--rounds 5]
                                  [--seconds 60] [--bound 1.1] [--json FILE]

Each program has its own process. Every round runs it twice, once with an emptied cache and once
with the cache of the first run, in alternating order; `ratio` is the median over rounds of cold by
warm time. On a loaded machine wall time says little, so the engine's own timers are read as well:
`before` are the seconds of rewriting, partitioning, planning and compiling (all stages before
kernels run), least over rounds, cold and warm. `by stages` is the ratio with kernels taking the
same time in both: the warm run plus what a cold cache adds to these stages. Elimination has one
step, in which the size shrinks: gauss and lu run unchanged.

The exit status is 1 if a program is above the bound by both measures.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.partition import markdown
from benchmarks.scripts import NAMES, load

STAGES = ("simplify", "verify", "cache", "partition", "plan")


@dataclass(frozen=True)
class Figure:
    """Times in seconds; `misses` and `flushes` of a cold run."""

    program: str
    size: str
    rounds: int
    ratio: float
    by_stages: float
    cold: float
    warm: float
    before_cold: float
    before_warm: float
    misses: int
    flushes: int

    def above(self, bound: float) -> bool:
        return min(self.ratio, self.by_stages) > bound


def size_of(program: Any, name: str, steps: int) -> tuple[int, ...]:
    size: tuple[int, ...] = load("_cli").parse_size(name, program.SIZES)
    return size if size[-1] == 1 else (*size[:-1], steps)


def one_run(np: Any, program: Any, size: tuple[int, ...]) -> dict[str, float]:
    np.flush()
    np.reset_stats()
    _, seconds = load("_cli").timed(np, program.run, size, "float64")
    stats = np.stats()
    before = sum(stats["seconds"][stage] for stage in STAGES)
    return {
        "seconds": seconds,
        "before": before,
        "misses": stats["cache_misses"],
        "flushes": stats["flushes"],
    }


def measure(name: str, size_name: str, steps: int, rounds: int, seconds: float) -> Figure:
    """Runs until the rounds are done or the time is over, but at least two rounds."""
    np = importlib.import_module("hassium")
    program = load(name)
    size = size_of(program, size_name, steps)
    cold: list[dict[str, float]] = []
    warm: list[dict[str, float]] = []
    one_run(np, program, size)  # memory is allocated, pages are touched
    begin = time.perf_counter()
    while len(cold) < rounds and (len(cold) < 2 or time.perf_counter() - begin < seconds):
        # Before the warm run of odd rounds the cache is as the previous cold run left it.
        for is_cold in (True, False) if len(cold) % 2 == 0 else (False, True):
            if is_cold:
                np.cache_clear()
            (cold if is_cold else warm).append(one_run(np, program, size))
    ratios = [c["seconds"] / w["seconds"] for c, w in zip(cold, warm, strict=True)]
    usual = statistics.median(w["seconds"] for w in warm)
    before_cold, before_warm = (min(r["before"] for r in runs) for runs in (cold, warm))
    return Figure(
        name,
        "*".join(map(str, size)),
        len(cold),
        statistics.median(ratios),
        1 + (before_cold - before_warm) / usual,
        statistics.median(c["seconds"] for c in cold),
        usual,
        before_cold,
        before_warm,
        int(cold[-1]["misses"]),
        int(cold[-1]["flushes"]),
    )


def in_process(name: str, known: argparse.Namespace) -> Figure:
    words = [f"--{key}={getattr(known, key)}" for key in ("size", "steps", "rounds", "seconds")]
    command = [sys.executable, "-m", "benchmarks.amortise", name, "--alone", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip()[-500:]}")
    return Figure(**json.loads(done.stdout))


def table(figures: list[Figure], bound: float) -> str:
    head = ["program", "size", "rounds", "ratio", "by stages", "cold", "warm", "before, cold"]
    head += ["before, warm", "misses", "within"]
    rows = [
        [f.program, f.size, str(f.rounds), f"{f.ratio:.3f}", f"{f.by_stages:.4f}"]
        + [f"{1e3 * s:,.2f} ms" for s in (f.cold, f.warm, f.before_cold, f.before_warm)]
        + [f"{f.misses} of {f.flushes}", "no" if f.above(bound) else "yes"]
        for f in figures
    ]
    return markdown(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all")
    parser.add_argument("--size", default="medium", help="small, medium, paper or N*N*...")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="of rounds, for each program")
    parser.add_argument("--bound", type=float, default=1.1)
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--alone", action="store_true", help="one program, in this process, as JSON"
    )
    known = parser.parse_args()
    programs = known.programs or NAMES
    if not set(programs) <= set(NAMES):
        parser.error(f"PROGRAM is one of {', '.join(NAMES)}")
    if known.alone:
        figure = measure(programs[0], known.size, known.steps, known.rounds, known.seconds)
        print(json.dumps(asdict(figure)))
        return 0
    figures: list[Figure] = []
    for name in programs:
        figures.append(in_process(name, known))
        print(table(figures, known.bound).splitlines()[-1], file=sys.stderr, flush=True)
    print(table(figures, known.bound))
    if known.json:
        known.json.write_text(json.dumps([asdict(f) for f in figures], indent=1) + "\n")
    return int(any(f.above(known.bound) for f in figures))


if __name__ == "__main__":
    sys.exit(main())
