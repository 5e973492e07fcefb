"""One measurement in its own process: `python -m benchmarks.worker JOB`, with JSON in and out.

A fresh process gives a true first call (nothing compiled, cached or allocated before) and the peak
memory of this program alone. The first call is timed by itself; steady calls follow.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy

from benchmarks import rivals
from benchmarks.scripts import load

MOST_CALLS = 200


@dataclass(frozen=True)
class Job:
    program: str
    size: list[int]
    dtype: str
    library: str
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.3  # duration of steady calls; at least one is made
    steady: bool = True
    reference: str = ""  # a file: NumPy's result, written by NumPy's job and read by the others
    verify: bool = False
    threads: int | None = None  # of a rival; hassium's are a setting


def memory(line: str) -> int:
    """Returns a line of this process's status in bytes; VmHWM is the peak resident memory."""
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(line + ":"):
            return int(text.split()[1]) * 1024
    raise RuntimeError(f"the kernel does not tell {line}")


def plain(value: Any) -> Any:
    """Returns a statistic in JSON types."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def agreement(result: Any, job: Job) -> dict[str, Any]:
    """Compares the result with NumPy's of the same job."""
    shared = load("_cli")
    theirs = numpy.load(job.reference, mmap_mode="r")
    if result.shape != theirs.shape or result.dtype != theirs.dtype:
        return {"exact": False, "difference": None, "agrees": False}
    exact = bool(numpy.array_equal(result, theirs)) and result.tobytes() == theirs.tobytes()
    gap = 0.0 if exact else shared.difference(numpy, result, theirs)
    if job.library in rivals.LIBRARIES:
        bound = rivals.RTOL[job.dtype]
    else:
        bound = 0.0 if load(job.program).EXACT else shared.RTOL[job.dtype]
    return {"exact": exact, "difference": gap, "agrees": exact or gap <= bound}


def library(job: Job) -> tuple[Any, Callable[..., Any]]:
    """Returns the module used as NumPy, and the program to run with it."""
    if job.library not in rivals.LIBRARIES:
        return importlib.import_module(job.library), load(job.program).run
    run = rivals.runner(job.library, job.program)
    if run is None:
        raise ValueError(f"{job.program} is not written for {job.library}")
    rivals.prepare(job.library, job.threads)
    importlib.import_module(job.library)
    return numpy, run


def measure(job: Job) -> dict[str, Any]:
    shared, program = load("_cli"), load(job.program)
    np, run = library(job)
    hassium = shared.is_hassium(np)
    if hassium:
        np.config(**job.settings)
    size = tuple(job.size)
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak: imports do not count
    result, first = shared.timed(np, run, size, job.dtype)
    answer: dict[str, Any] = {"first": first, "peak_bytes": memory("VmHWM") - before}
    calls: list[float] = []
    while job.steady and len(calls) < MOST_CALLS and (not calls or sum(calls) < job.seconds):
        del result
        if hassium:
            np.reset_stats()
        result, seconds = shared.timed(np, run, size, job.dtype)
        calls.append(seconds)
    if calls:
        answer["steady"] = statistics.median(calls)
    if hassium:
        answer["statistics"] = plain(np.stats())
    if job.verify:
        # A rewrite that adds in another order may miss the closed form: it is compared with NumPy.
        if job.library not in rivals.LIBRARIES:
            program.check(numpy, result, size)
        if job.library == "numpy":
            numpy.save(job.reference, result)
        else:
            answer["agreement"] = agreement(result, job)
    return answer


def main() -> None:
    job = Job(**json.loads(sys.argv[1]))
    print(json.dumps(measure(job)))


def command(job: Job) -> list[str]:
    """Returns the command that starts this job's process."""
    return [sys.executable, "-m", "benchmarks.worker", json.dumps(asdict(job))]


if __name__ == "__main__":
    main()
