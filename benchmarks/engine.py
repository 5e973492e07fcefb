"""Compares the engine with the machine's limits: NumPy, hand-written loops, numba, numexpr, JAX.

    python benchmarks/engine.py [--workloads heat,scan] [--sizes medium] [--threads 1,2]
                                [--rivals hand,numba,numexpr,jax] [--rounds N] [--json FILE]
                                [--against sweep=off] [--least] [--apart]

Contenders alternate in every round, in one process; each sample follows an untimed one of the same
contender, as a last-level cache needs four or five calls to hold its data. Figures are medians over
rounds, ratios are formed from them. `--least` takes the best round instead, for a shared machine.
`--apart` gives each workload its own process, as a script has: memory freed by others decides
whether the C library keeps the memory of NumPy's temporaries or requests new pages each time, which
can take four times as long. `--against` adds hassium with another setting, as the column `against`.
Results are compared with NumPy's, and a wrong one makes the exit status 1. `ns apart` is the round
trip of a message between cores, before and after the race: a virtual machine's cores may be moved,
and share a cache at one time (100 ns) and none at another (500 ns), or be one core with two threads
(30 ns). Sizes: `medium` (to which the marks refer), `small`, `middle` and `large` (1e3, 1e5 and 1e7
elements or the closest possible) or numbers. The memory bound is that of a triad with non-temporal
stores, measured in the same rounds; `memory 2T/1T` is its gain from the second thread.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from race import contenders, hand
from race.contenders import Refused, Run, Threads
from race.flat import FLAT
from race.grids import GRIDS
from race.rows import ROWS
from race.tables import show
from race.workload import Workload

ALL = {work.name: work for work in [*FLAT, *GRIDS, *ROWS]}
SIZES = ("small", "middle", "large")
LEAST = 5e-3  # seconds of one sample: short calls are repeated, caches fill for milliseconds
SETTLE = 20e-3  # a contender's threads spin for so long after its work, OpenMP's among them


def timed(run: Callable[[], Any], repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - begin) / repeats


def settle() -> None:
    """Waits without idling this processor."""
    end = time.perf_counter() + SETTLE
    while time.perf_counter() < end:
        pass


def repeats_of(run: Callable[[], Any]) -> int:
    once = min(timed(run, 1) for _ in range(3))
    return max(1, min(2000, round(LEAST / max(once, 1e-7))))


def wrong(found: list[Any], wanted: list[Any], tolerance: float) -> str:
    """Returns how results differ from NumPy's, or an empty text."""
    if len(found) != len(wanted):
        return f"{len(found)} results instead of {len(wanted)}"
    for one, other in zip(found, wanted, strict=True):
        a = numpy.asarray(one, dtype=numpy.float64).ravel()
        b = numpy.asarray(other, dtype=numpy.float64).ravel()
        if a.shape != b.shape:
            return f"{a.size} elements instead of {b.size}"
        scale = float(numpy.max(numpy.abs(b), initial=0.0))
        worst = float(numpy.max(numpy.abs(a - b), initial=0.0))
        if not worst <= tolerance * max(scale, 1e-300):
            return f"differs by {worst:.3g} at a scale of {scale:.3g}"
    return ""


def meeting(library: Any) -> float:
    """Returns the nanoseconds of a round trip between two cores."""
    seconds = hand.aligned(1_000)
    hand.call(library, "probe_meeting", [seconds])(2)
    return float(1e9 * seconds[0])


class Race:
    """All contenders of one workload at one size, over the thread counts."""

    def __init__(
        self, work: Workload, size: int, rivals: list[str], library: Any, against: str
    ) -> None:
        self.work, self.size, self.library = work, size, library
        self.inputs = work.inputs(size)
        self.threads = Threads(rivals)
        self.runs: dict[str, Run] = {}
        self.notes: dict[str, str] = {}
        made: dict[str, Callable[[], Run]] = {
            "numpy": lambda: contenders.numpy_run(work, self.inputs),
            "hassium": lambda: contenders.hassium_run(work, self.inputs),
            "hand": lambda: contenders.hand_run(work, self.inputs, library, self.threads.native),
            "numba": lambda: contenders.numba_run(work, self.inputs),
            "numexpr": lambda: contenders.numexpr_run(work, self.inputs),
            "jax": lambda: contenders.jax_run(work, self.inputs),
            "against": lambda: contenders.other_run(work, self.inputs, against),
        }
        for name in ["numpy", "hassium", *(["against"] if against else []), *rivals]:
            try:
                self.runs[name] = made[name]()
            except Refused as refusal:
                self.notes[name] = str(refusal)

    def check(self, threads: list[int]) -> None:
        wanted = self.runs["numpy"]()
        for count in threads:
            self.threads.set(count)
            for name, run in self.runs.items():
                problem = wrong(run(), wanted, self.work.tolerance)
                if problem:
                    self.notes[name] = f"WRONG: {problem}"

    def run(self, threads: list[int], rounds: int, least: bool) -> dict[str, Any]:
        self.check(threads)
        self.runs["memory"], moved = memory_run(self.library, self.threads)
        apart = [self.apart(threads)]
        plan = [
            (name, count)
            for name in self.runs
            for count in threads
            if count == threads[0] or name != "numpy"
        ]
        samples: dict[tuple[str, int], list[float]] = {entry: [] for entry in plan}
        repeats: dict[tuple[str, int], int] = {}
        for turn in range(rounds):
            for entry in plan if turn % 2 else plan[::-1]:
                name, count = entry
                self.threads.set(count)
                self.threads.pin(name, count)
                if entry not in repeats:
                    repeats[entry] = repeats_of(self.runs[name])
                settle()
                timed(self.runs[name], repeats[entry])  # caches and threads as it leaves them
                samples[entry].append(timed(self.runs[name], repeats[entry]))
                self.threads.unpin(name)
        apart.append(self.apart(threads))
        figure = min if least else statistics.median
        figures = {f"{n}/{c}": figure(s) for (n, c), s in samples.items()}
        return {
            "workload": self.work.name,
            "size": self.size,
            "bytes": self.work.streams(self.inputs) if self.work.streams else 0,
            "seconds": figures,
            "memory": {str(c): moved / figures[f"memory/{c}"] for c in threads},
            "notes": self.notes,
            "faults": self.faults(),
            "apart": apart,
        }

    def apart(self, threads: list[int]) -> float | None:
        several = max(threads) > 1 and len(self.threads.all) > 1
        return meeting(self.library) if several else None

    def faults(self) -> int:
        """Returns the page faults of the process in one more call in steady state."""

        def count() -> int:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            return usage.ru_minflt + usage.ru_majflt

        before = count()
        self.runs["hassium"]()
        return count() - before


def memory_run(library: Any, threads: Threads) -> tuple[Run, int]:
    """Returns the triad whose rate is the memory bound, and the bytes that it moves."""
    n = beyond_caches(library)
    triad = hand.call(library, "probe_triad", [hand.aligned(n) for _ in range(3)])
    return lambda: triad(threads.native[0]), 24 * n


def beyond_caches(library: Any) -> int:
    """Returns the float64 elements of an array, three of which fill the last-level cache twice."""
    found = numpy.zeros(1)
    hand.call(library, "probe_last_cache", [found])(1)
    return max(8_000_000, 2 * int(found[0]) // (3 * 8) // 8 * 8)


def probe(library: Any, threads: list[int], rounds: int) -> dict[str, float]:
    """Returns the bytes per second of the machine's memory, by kind and thread count."""
    n = beyond_caches(library)
    a, b, c = (hand.aligned(n) for _ in range(3))
    kinds = {
        "copy": (16, hand.call(library, "probe_copy", [a, c])),
        "triad": (24, hand.call(library, "probe_triad", [a, b, c])),
        "triad_plain": (24, hand.call(library, "probe_triad_plain", [a, b, c])),
        "read": (8, hand.call(library, "probe_read", [a, c])),
    }
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, (size, run) in kinds.items():
            for count in threads:
                begin = time.perf_counter()
                run(count)
                rate = size * n / (time.perf_counter() - begin)
                key = f"{name}/{count}"
                best[key] = max(best.get(key, 0.0), rate)
    return best


def sizes_of(work: Workload, wanted: list[str]) -> list[int]:
    found = []
    for word in wanted:
        if word == "medium":
            found.append(work.medium)
        elif word in SIZES:
            place = SIZES.index(word)
            if place < len(work.sizes):
                found.append(work.sizes[place])
        else:
            found.append(int(float(word)))
    return list(dict.fromkeys(found))


def race_all(known: argparse.Namespace, works: list[Workload], threads: list[int]) -> Any:
    """Returns the figures of workloads, one after another."""
    rivals = known.rivals.split(",")
    if known.rivals == "all":
        rivals = ["hand", *contenders.installed()]
    elif known.rivals == "none":
        rivals = []
    library = hand.build()
    figures: dict[str, Any] = {"probe": probe(library, threads, 5), "races": []}
    for work in works:
        for size in sizes_of(work, known.sizes.split(",")):
            race = Race(work, size, rivals, library, known.against)
            figures["races"].append(race.run(threads, known.rounds, known.least))
            print(f"{work.name} {size:,}", file=sys.stderr, flush=True)
            for name, note in race.notes.items():
                print(f"  {name}: {note}", file=sys.stderr, flush=True)
    return figures


def race_apart(works: list[Workload]) -> Any:
    """Returns the same with each workload in its own process."""
    figures: dict[str, Any] = {"probe": {}, "races": []}
    command = [sys.executable, *(word for word in sys.argv if word != "--apart")]
    with tempfile.TemporaryDirectory() as folder:
        for work in works:
            path = pathlib.Path(folder, work.name)
            asked = [*command, "--workloads", work.name, "--json", str(path)]
            subprocess.run(asked, stdout=subprocess.DEVNULL, check=False)
            found = json.loads(path.read_text())
            figures["races"] += found["races"]
            for kind, rate in found["probe"].items():
                figures["probe"][kind] = max(rate, figures["probe"].get(kind, 0.0))
    return figures


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workloads", default="", help=f"of {','.join(ALL)}; default all")
    parser.add_argument("--sizes", default="medium")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rivals", default="hand", help="of hand,numba,numexpr,jax; all; none")
    parser.add_argument("--against", default="", help="a setting, as NAME=VALUE")
    parser.add_argument("--least", action="store_true", help="best round instead of the median")
    parser.add_argument("--apart", action="store_true", help="a process for each workload")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", default="", help="write the figures to this file")
    return parser.parse_args()


def main() -> int:
    known = arguments()
    works = [ALL[name] for name in known.workloads.split(",") if name] or list(ALL.values())
    threads = [int(count) for count in known.threads.split(",")]
    figures = race_apart(works) if known.apart else race_all(known, works, threads)
    show(figures, ALL, threads)
    if known.json:
        with open(known.json, "w") as file:
            json.dump(figures, file, indent=1)
    return any("WRONG" in note for race in figures["races"] for note in race["notes"].values())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    sys.exit(main())
