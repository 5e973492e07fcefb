"""Figures 11 and 14 of "On Code Generation for Multi-Generator WITH-Loops in SAC", for this engine.

    python -m benchmarks.withloop_figures [--rounds N] [--folder OUT]

11 is the time of an array of columns by k generators, each of every k-th column: constants as in
the paper, one operation with k constants, and four operations in turn. 14 is that of the mapping
from a coarse to a fine grid, by the extent of the fine one. Both are measured generator by
generator, a flush after each (the paper's naive code), with all of them in one flush (canonical
order), and with NumPy, alternating in one process; results are compared first. Times are medians
over rounds. Each figure becomes a PNG in the folder, and all become tables of one markdown page
there.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import hassium
from benchmarks.piecewise import four
from benchmarks.wsp_figures import FigureData, Values, write

GENERATORS = (1, 2, 4, 8, 16, 32)
EXTENTS = (128, 256, 512, 1024, 2048, 4096)
WAYS = ("naive", "canonical", "numpy")

Arrays = dict[str, Any]
Program = list[Callable[[Arrays], None]]  # a statement for each generator


def constants(k: int) -> Program:
    def generator(g: int) -> Callable[[Arrays], None]:
        def code(a: Arrays) -> None:
            a["out"][:, g::k] = g + 1

        return code

    return [generator(g) for g in range(k)]


def equal(k: int) -> Program:
    def generator(g: int) -> Callable[[Arrays], None]:
        def code(a: Arrays) -> None:
            a["out"][:, g::k] = a["x"][:, g::k] * (g + 1) + a["y"][:, g::k]

        return code

    return [generator(g) for g in range(k)]


def unequal(k: int) -> Program:
    def generator(g: int) -> Callable[[Arrays], None]:
        def code(a: Arrays) -> None:
            a["out"][:, g::k] = four(g, a["x"][:, g::k], a["y"][:, g::k])

        return code

    return [generator(g) for g in range(k)]


def coarse_to_fine() -> Program:
    def corners(a: Arrays) -> None:
        a["out"][0::2, 0::2] = a["coarse"][:-1, :-1]

    def below(a: Arrays) -> None:
        a["out"][1::2, 0::2] = 0.5 * (a["coarse"][:-1, :-1] + a["coarse"][1:, :-1])

    def beside(a: Arrays) -> None:
        a["out"][0::2, 1::2] = 0.5 * (a["coarse"][:-1, :-1] + a["coarse"][:-1, 1:])

    def between(a: Arrays) -> None:
        c = a["coarse"]
        a["out"][1::2, 1::2] = 0.25 * (c[:-1, :-1] + c[1:, :-1] + c[:-1, 1:] + c[1:, 1:])

    return [corners, below, beside, between]


def arrays(np: Any, n: int, dtype: str) -> Arrays:
    x = (numpy.arange(n * n) % 37).astype(dtype).reshape(n, n)
    half = n // 2 + 1
    made = {"x": x, "y": x[::-1] + 1, "coarse": x[:half, :half], "out": x * 0}
    return {name: np.array(value) for name, value in made.items()}


def seconds(program: Program, a: Arrays, way: str) -> float:
    hassium.flush()
    begin = time.perf_counter()
    for generator in program:
        generator(a)
        if way == "naive":
            hassium.flush()
    hassium.flush()
    return time.perf_counter() - begin


def measure(program: Program, n: int, dtype: str, rounds: int) -> dict[str, float]:
    """Returns milliseconds by way."""
    data = {way: arrays(numpy if way == "numpy" else hassium, n, dtype) for way in WAYS}
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    for turn in range(rounds + 2):
        for way in WAYS:
            once = seconds(program, data[way], way)
            if turn >= 2:  # the cache knows all
                taken[way].append(once)
    for way in WAYS[:-1]:
        if not numpy.array_equal(numpy.asarray(data[way]["out"]), data["numpy"]["out"]):
            raise AssertionError(f"results of {way} order differ from NumPy's: {n} {dtype}")
    return {way: 1e3 * statistics.median(taken[way]) for way in WAYS}


def columns(
    title: str, code: Callable[[int], Program], n: int, dtype: str, rounds: int
) -> FigureData:
    values: Values = {way: {} for way in WAYS}
    for k in GENERATORS:
        for way, value in measure(code(k), n, dtype, rounds).items():
            values[way][str(k)] = value
    return FigureData(11, f"{title} by k generators, {n} x {n} {dtype}", "ms", values)


def grids(rounds: int, extents: tuple[int, ...] = EXTENTS) -> FigureData:
    values: Values = {way: {} for way in WAYS}
    for n in extents:
        for way, value in measure(coarse_to_fine(), n, "float64", rounds).items():
            values[way][str(n)] = value
    return FigureData(14, "coarse to fine, by the fine extent, float64", "ms", values)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path, default=Path("build/withloop_figures"))
    known = parser.parse_args()
    rounds = known.rounds
    figures = [
        columns("constants", constants, 1000, "int32", rounds),
        columns("constants", constants, 4096, "int32", rounds),
        columns("x * k + y", equal, 1000, "float64", rounds),
        columns("four programs", unequal, 1000, "float64", rounds),
        columns("four programs", unequal, 4096, "float64", rounds),
        grids(rounds),
    ]
    print(write(figures, "Figures 11 and 14", known.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
