"""Measures a flush before its first kernel starts: exact hits, symbolic hits, misses.

    python benchmarks/flush.py [--rounds N] [--json FILE]

The engine's own timers are read, by stage (`stats()["seconds"]`): all stages but `execute`, which
begins with the first kernel. Arrays are so small that kernels do not matter. Every figure is the
median over many flushes of one kind, in nanoseconds. The budget is printed beside it: on an exact
hit 1 us and 10 ns an instruction; on a symbolic one 5 us, 50 ns an instruction and 20 ns a guard.

A guard is one question about a program's numbers; their count is the growth of the counter
`guards_asked`. Programs:

- `chain`: `y = y * 0.5`, repeated; every array but the last dies in its block.
- `stencil`: sweeps of a five-point stencil over one grid, written into its interior.
- `rows`: elimination steps on a matrix that is one row smaller each time (as in `lu`).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hassium as np

EXACT, SYMBOLIC, MISS = "exact", "symbolic", "miss"
STAGES = ("simplify", "verify", "cache", "partition", "plan", "launch")


@dataclass
class Figure:
    program: str
    hit: str
    instructions: float
    guards: float
    nanoseconds: float
    budget: float | None
    stages: dict[str, float]


def chain(size: int, steps: int) -> Any:
    y = np.ones(size)
    np.flush()

    def run() -> Any:
        z = y
        for _ in range(steps):
            z = z * 0.5
        return z

    return run


def stencil(size: int, steps: int) -> Any:
    grid = np.ones((size, size + 1))
    np.flush()

    def run() -> Any:
        for _ in range(steps):
            inside = grid[1:-1, 1:-1]
            around = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
            inside[...] = (inside + around) * 0.2
        return grid

    return run


def rows(size: int, steps: int) -> Any:
    a = np.ones((size + steps, size + steps))
    np.flush()

    def run() -> Any:
        for k in range(steps):
            a[k + 1 :, k:] -= (a[k + 1 :, k] / a[k, k : k + 1])[:, None] * a[k, k:]
        return a

    return run


PROGRAMS: dict[str, Callable[[int, int], Any]] = {"chain": chain, "stencil": stencil, "rows": rows}
STEPS = {"chain": (1, 10, 100, 1000), "stencil": (1, 10, 100), "rows": (1, 10, 100)}
SIZE = 6


def measure(name: str, hit: str, steps: int, rounds: int) -> Figure:
    """Flushes one program `rounds` times, with the cache in the state that `hit` names."""
    samples: list[dict[str, float]] = []
    counts: list[tuple[float, float]] = []
    fresh = iter(range(SIZE + 2, 1 << 40))
    if hit == SYMBOLIC:
        flush_once(PROGRAMS[name](SIZE + 1, steps))
    while len(samples) < rounds:
        size = next(fresh) if hit == SYMBOLIC else SIZE
        run = PROGRAMS[name](size, steps)
        for warm in range(3 if hit == EXACT else 0):
            del warm
            flush_once(run)
        if hit == MISS:
            np.cache_clear()
        for _ in range(20 if hit == EXACT else 1):
            stages, recorded, asked, found = flush_once(run)
            if found == hit:
                samples.append(stages)
                counts.append((recorded, asked))
            elif hit != MISS and found == MISS and len(samples) > 2:
                raise RuntimeError(f"{name}: a {found} where a {hit} hit was expected")
    middle = {s: statistics.median(sample[s] for sample in samples) for s in STAGES}
    total = statistics.median(sum(sample.values()) for sample in samples)
    instructions, guards = (statistics.median(c[k] for c in counts) for k in (0, 1))
    budget = {
        EXACT: 1000 + 10 * instructions,
        SYMBOLIC: 5000 + 50 * instructions + 20 * guards,
        MISS: None,
    }[hit]
    return Figure(f"{name} x {steps}", hit, instructions, guards, total, budget, middle)


def flush_once(run: Callable[[], Any]) -> tuple[dict[str, float], int, int, str]:
    np.flush()
    np.reset_stats()
    kept = run()
    np.flush()
    stats = np.stats()
    del kept
    stages = {s: stats["seconds"][s] * 1e9 for s in STAGES}
    found = MISS if stats["cache_misses"] else SYMBOLIC if stats["cache_symbolic_hits"] else EXACT
    return stages, stats["instructions"], stats["guards_asked"], found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = []
    head = f"{'program':>14} {'hit':>9} {'instr.':>7} {'guards':>7} {'ns':>9} {'budget':>9}"
    print(head, *(f"{s:>10}" for s in STAGES))
    with np.config(eager_elements=0, threads=1, queue_instructions=100_000):
        for hit in (EXACT, SYMBOLIC, MISS):
            for name, all_steps in STEPS.items():
                for steps in all_steps:
                    rounds = max(20, options.rounds // max(1, steps // 10))
                    f = measure(name, hit, steps, rounds)
                    figures.append(f)
                    budget = f"{f.budget:.0f}" if f.budget else "-"
                    print(
                        f"{f.program:>14} {hit:>9} {f.instructions:7.0f} {f.guards:7.0f} "
                        f"{f.nanoseconds:9.0f} {budget:>9}",
                        *(f"{f.stages[s]:10.0f}" for s in STAGES),
                        flush=True,
                    )
    if options.json:
        options.json.write_text(json.dumps([asdict(f) for f in figures], indent=1) + "\n")


if __name__ == "__main__":
    main()
