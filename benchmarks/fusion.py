"""Measures fusion by itself: a chain, a time loop, and the import.

    python benchmarks/fusion.py [--elements N] [--iterations N] [--rounds N]

The chain is ten operations on one long array, on one thread: fused, it reads one array and writes
one. The loop has five named temporaries and reads nothing: none of them should be written to
memory, and all of its flushes should be identical. Times are medians over rounds; NumPy and hassium
alternate.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy

import hassium

COUNTERS = ["instructions", "flushes", "blocks", "cache_hits", "cache_misses", "contracted"]
COUNTERS += ["bytes_moved", "bytes_saved", "page_faults"]


def chain(np: Any, x: Any) -> Any:
    """Ten operations; nine of their results are temporaries."""
    y = x + 1.0
    y = y * x
    y = y - 0.5
    y = y / 3.0
    y = np.sqrt(np.abs(y))
    y = y + x
    y = y * 0.25
    y = np.maximum(y, x)
    return y - 1.0


def loop(np: Any, iterations: int) -> Any:
    """Damped oscillations of 1,000 elements, with five named temporaries."""
    x = np.arange(1000.0)
    speed = np.zeros_like(x)
    for _ in range(iterations):
        pull = x * -0.5
        drag = speed * 0.01
        force = pull - drag
        change = force * 0.001
        shift = speed * 0.001
        speed += change
        x += shift
    return x + speed


def timed(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    result = call()
    hassium.flush()
    seconds = time.perf_counter() - begin
    del result
    return seconds


def race(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Returns the median seconds of each call, alternating, after one untimed call."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(-1, rounds):
        for name in list(calls)[:: 1 if turn % 2 else -1]:
            seconds = timed(calls[name])
            if turn >= 0:
                times[name].append(seconds)
    return {name: statistics.median(samples) for name, samples in times.items()}


def counted(call: Callable[[], Any]) -> Mapping[str, Any]:
    """Returns the statistics of one more call."""
    hassium.reset_stats()
    timed(call)
    found: Mapping[str, Any] = hassium.stats()
    return found


def show(title: str, times: dict[str, float], counters: Mapping[str, Any]) -> None:
    ratio = times["numpy"] / times["hassium"]
    figures = "  ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in times.items())
    print(f"{title}\n  {figures}  speed-up {ratio:.2f}")
    print("  " + "  ".join(f"{name} {counters[name]}" for name in COUNTERS))


def import_seconds(module: str) -> float:
    """Returns how long a new interpreter takes to import a module, without its startup."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--elements", type=int, default=10_000_000, help="of the chain")
    parser.add_argument("--iterations", type=int, default=10_000, help="of the loop")
    parser.add_argument("--rounds", type=int, default=7)
    known = parser.parse_args()
    libraries: dict[str, Any] = {"numpy": numpy, "hassium": hassium}

    with hassium.config(threads=1):
        long = {name: np.arange(float(known.elements)) for name, np in libraries.items()}
        chains = {name: partial(chain, np, long[name]) for name, np in libraries.items()}
        times = race(chains, known.rounds)
        title = f"ten operations on {known.elements:,} elements, one thread"
        show(title, times, counted(chains["hassium"]))
    del long, chains

    loops = {name: partial(loop, np, known.iterations) for name, np in libraries.items()}
    times = race(loops, min(known.rounds, 3))
    title = f"{known.iterations:,} iterations with five temporaries of 1,000 elements"
    show(title, times, counted(loops["hassium"]))

    imports: dict[str, list[float]] = {name: [] for name in libraries}
    for _ in range(known.rounds):
        for name, samples in imports.items():
            samples.append(import_seconds(name))
    own = statistics.median(
        one - other for one, other in zip(imports["hassium"], imports["numpy"], strict=True)
    )
    numpy_import = statistics.median(imports["numpy"])
    print(f"import hassium\n  {1e3 * own:.0f} ms more than NumPy's {1e3 * numpy_import:.0f} ms")


if __name__ == "__main__":
    main()
