"""Times loops under several settings, alternating in one process beside NumPy; compares results."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

import hassium
from benchmarks.partition import markdown

WARM = 2  # rounds: the second one finds the cache as the first one left it


@dataclass(frozen=True)
class Loop:
    """`code(np, n, steps)` returns an array; it runs with `n` of each of `sizes`."""

    code: Callable[[Any, int, int], Any]
    sizes: tuple[int, ...]
    steps: int


@dataclass(frozen=True)
class Race:
    """Settings by name of the variant, the variant to compare with, and the counter to show."""

    ways: Mapping[str, Mapping[str, Any]]
    base: str  # a variant, or numpy
    counter: str
    counted_in: str
    tolerance: float = 0.0  # of the results, relative to the largest magnitude; 0: the same numbers


def timed(np: Any, loop: Loop, n: int) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = numpy.array(loop.code(np, n, loop.steps))
    return time.perf_counter() - begin, result


def measure(race: Race, loop: Loop, n: int, rounds: int) -> list[str]:
    seconds: dict[str, list[float]] = {way: [] for way in (*race.ways, "numpy")}
    count = 0
    for turn in range(WARM + rounds):
        usual, expected = timed(numpy, loop, n)
        taken = {"numpy": usual}
        for way, settings in race.ways.items():
            with hassium.config(**settings):
                hassium.reset_stats()
                taken[way], result = timed(hassium, loop, n)
                if way == race.counted_in:
                    count = hassium.stats()[race.counter]
            near = race.tolerance * numpy.abs(expected).max()
            if not numpy.allclose(result, expected, rtol=0, atol=near):
                raise AssertionError(f"{loop.code.__name__} of {n} differs from NumPy: {settings}")
        if turn >= WARM:
            for way, value in taken.items():
                seconds[way].append(value)

    def times(way: str) -> str:
        pairs = zip(seconds[race.base], seconds[way], strict=True)
        return f"{statistics.median(base / other for base, other in pairs):.2f}"

    base = f"{1e6 * statistics.median(seconds[race.base]) / loop.steps:.2f}"
    others = [times(way) for way in ("numpy", *race.ways) if way != race.base]
    return [loop.code.__name__, f"{n:,}", base, *others, str(count)]


def main(description: str | None, loops: Sequence[Loop], race: Race) -> int:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    known = parser.parse_args()
    others = [way for way in ("numpy", *race.ways) if way != race.base]
    head = ["program", "n", f"{race.base}, us a turn", *others, race.counter]
    rows = [
        measure(race, loop, n, known.rounds)
        for loop in loops
        if not known.only or loop.code.__name__ in known.only
        for n in loop.sizes
    ]
    print(markdown(head, rows))
    return 0
