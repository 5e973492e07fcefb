"""`python -m benchmarks run`: programs x sizes x configurations, in interleaved rounds.

In every round each configuration runs each program once, in its own process, so that a slow minute
of the machine affects all configurations. The order of configurations rotates with the rounds.
Medians are over rounds; the spread is their least and greatest.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy

from benchmarks import rivals
from benchmarks.scripts import load
from benchmarks.worker import Job, command

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Configuration:
    """Library and settings of a run. Empty fields are the library's own defaults."""

    library: str
    threads: int | None = None
    partitioner: str | None = None
    cost_model: str | None = None
    cache: str = "warm"  # steady calls; cold: first calls of new processes; none: cache off

    def settings(self) -> dict[str, Any]:
        chosen: dict[str, Any] = {
            "threads": self.threads,
            "partitioner": self.partitioner,
            "cost_model": self.cost_model,
        }
        if self.cache == "none":
            chosen["cache"] = False
        return {name: value for name, value in chosen.items() if value is not None}

    def is_rival(self) -> bool:
        return self.library in rivals.LIBRARIES

    def label(self) -> str:
        if self.library == "numpy":
            return "NumPy"
        parts = [self.library if self.is_rival() else None, self.partitioner, self.cost_model]
        parts += [f"{self.threads} thr" if self.threads else None]
        parts += [f"cache {self.cache}" if self.cache != "warm" else None]
        return " ".join(part for part in parts if part) or "hassium"


NUMPY = Configuration("numpy")


@dataclass(frozen=True)
class Case:
    """One row of the result: a program at a size under a configuration."""

    program: str
    size_name: str
    size: tuple[int, ...]
    dtype: str
    configuration: Configuration

    def title(self) -> str:
        return f"{self.program} {self.size_name} {self.configuration.label()}"


def configurations(
    threads: list[int],
    partitioners: list[str],
    cost_models: list[str],
    caches: list[str],
    against: Sequence[str] = (),
) -> list[Configuration]:
    """Returns NumPy first, then every combination for hassium, then rivals with the same threads.

    An empty list stands for the default.
    """
    numbers: list[int | None] = [*threads] or [None]
    choices = itertools.product(numbers, partitioners or (None,), cost_models or (None,), caches)
    others = [Configuration(name, n) for name in against if name != "numpy" for n in numbers]
    return [NUMPY, *(Configuration("hassium", *choice) for choice in choices), *others]


def cases(
    programs: list[str], sizes: list[str], dtype: str, chosen: list[Configuration]
) -> list[list[Case]]:
    """Returns one group of cases for each program and size, with all configurations in it."""
    shared = load("_cli")
    groups = []
    for name, text in itertools.product(programs, sizes):
        known = load(name).SIZES
        size = shared.parse_size(text, known)
        groups.append([Case(name, text, size, dtype, one) for one in chosen])
    return groups


@dataclass(frozen=True)
class Pace:
    """Limits of the measuring time."""

    rounds: int = 3
    seconds: float = 0.3  # of steady calls in each process
    limit: float = 300.0  # seconds after which a process is ended
    minutes: float = math.inf  # no round but the first is started if it would end later


def perform(case: Case, reference: Path, pace: Pace, verify: bool) -> dict[str, Any]:
    """Runs one process; a failure is an answer too, with the last line that the process wrote."""
    job = Job(
        program=case.program,
        size=list(case.size),
        dtype=case.dtype,
        library=case.configuration.library,
        settings=case.configuration.settings(),
        seconds=pace.seconds,
        threads=case.configuration.threads,
        steady=case.configuration.cache != "cold",
        reference=str(reference),
        verify=verify,
    )
    try:
        done = subprocess.run(
            command(job), cwd=ROOT, capture_output=True, text=True, check=False, timeout=pace.limit
        )
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {pace.limit:g} s"}
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"error": said[-1]}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def takes_part(case: Case) -> bool:
    configuration = case.configuration
    return not (configuration.is_rival() and rivals.absence(configuration.library, case.program))


def spread(samples: list[float]) -> dict[str, Any] | None:
    if not samples:
        return None
    return {
        "median": statistics.median(samples),
        "least": min(samples),
        "most": max(samples),
        "samples": samples,
    }


def row(case: Case, answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns all rounds of one case as one record."""
    record: dict[str, Any] = asdict(case)
    record["label"] = case.configuration.label()
    if not answers:
        reason = rivals.absence(case.configuration.library, case.program)
        return record | {"absent": reason, "first": None, "steady": None}
    errors = [answer["error"] for answer in answers if "error" in answer]
    if errors:
        return record | {"error": errors[0]}
    record["first"] = spread([answer["first"] for answer in answers])
    record["steady"] = spread([answer["steady"] for answer in answers if "steady" in answer])
    record["peak_bytes"] = statistics.median(answer["peak_bytes"] for answer in answers)
    for key in ("statistics", "agreement"):
        found = [answer[key] for answer in answers if key in answer]
        record[key] = found[0] if found else None
    return record


def time_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the time to compare a row by: of its steady calls, or else of first calls."""
    found: dict[str, Any] | None = record.get("steady") or record.get("first")
    return found


def memory_allowed(theirs: dict[str, Any]) -> float | None:
    """Returns the largest memory that hassium may use beside NumPy's peak."""
    peak = theirs.get("peak_bytes")
    return None if peak is None else 1.05 * peak + 64e6


def with_speed_up(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds NumPy's time over each row's own: steady calls to steady calls, first to first."""
    theirs = records[0]
    allowed = memory_allowed(theirs)
    for record in records:
        mine = time_of(record)
        used = record.get("peak_bytes")
        if record["configuration"]["library"] == "hassium" and used and allowed:
            record["memory_within"] = used <= allowed
        base = time_of(theirs) if record.get("steady") else theirs.get("first")
        record["speed_up"] = base["median"] / mine["median"] if base and mine else None
    return records


def machine() -> dict[str, Any]:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": names[0] if names else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "system": platform.platform(),
    }


def measure(
    groups: list[list[Case]], pace: Pace, tick: Callable[[str], None]
) -> Iterator[list[dict[str, Any]]]:
    """Yields the records of one group after another, all of them after the last round."""
    answers: dict[Case, list[dict[str, Any]]] = {case: [] for group in groups for case in group}
    with tempfile.TemporaryDirectory(prefix="hassium-benchmarks-") as folder:
        begin = time.monotonic()
        for turn in range(pace.rounds):
            used = (time.monotonic() - begin) / 60
            if turn > 0 and used + used / turn > pace.minutes:
                break
            for number, group in enumerate(groups):
                reference = Path(folder) / f"{number}.npy"
                # NumPy goes first while its result is still needed; later the order rotates.
                shift = turn % len(group)
                for case in group[shift:] + group[:shift]:
                    tick(case.title())
                    if takes_part(case):
                        answers[case].append(perform(case, reference, pace, verify=turn == 0))
                if turn == 0:
                    reference.unlink(missing_ok=True)
    for group in groups:
        yield with_speed_up([row(case, answers[case]) for case in group])


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
