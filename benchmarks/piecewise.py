"""Times arrays written piecewise against a bound: the same work without pieces.

    python -m benchmarks.piecewise [--sizes 1024 4096] [--dtypes float64 int32] [--rounds 15]

Program and bound alternate in one process; results are compared with NumPy's first. Figures are
medians over rounds of the program's time divided by the bound's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy

import hassium
from benchmarks.partition import markdown

GRIDS = (2, 4, 8, 16, 32)
Arrays = dict[str, Any]
Code = Callable[[Any, Arrays], None]


def fill(k: int) -> Code:
    def code(np: Any, a: Arrays) -> None:
        for g in range(k):
            a["out"][:, g::k] = g + 1

    return code


def equal(k: int) -> Code:
    def code(np: Any, a: Arrays) -> None:
        for g in range(k):
            a["out"][:, g::k] = a["x"][:, g::k] * (g + 1) + a["y"][:, g::k]

    return code


def four(g: int, x: Any, y: Any) -> Any:
    return (
        lambda: x * 3 + y,
        lambda: (x - y) * 2,
        lambda: x * x - y,
        lambda: y * y + x * 2,
    )[g % 4]()


def unequal(k: int) -> Code:
    def code(np: Any, a: Arrays) -> None:
        for g in range(k):
            a["out"][:, g::k] = four(g, a["x"][:, g::k], a["y"][:, g::k])

    return code


def bands(k: int) -> Code:
    def code(np: Any, a: Arrays) -> None:
        height = len(a["out"]) // k
        for g in range(k):
            rows = slice(g * height, (g + 1) * height)
            a["out"][rows] = four(g, a["x"][rows], a["y"][rows])

    return code


def refine(fine: Any, c: Any) -> Any:
    fine[0::2, 0::2] = c[:-1, :-1]
    fine[1::2, 0::2] = 0.5 * (c[:-1, :-1] + c[1:, :-1])
    fine[0::2, 1::2] = 0.5 * (c[:-1, :-1] + c[:-1, 1:])
    fine[1::2, 1::2] = 0.25 * (c[:-1, :-1] + c[1:, :-1] + c[:-1, 1:] + c[1:, 1:])
    return fine


def coarse_to_fine(np: Any, a: Arrays) -> None:
    refine(a["out"], a["coarse"])


def correction(np: Any, a: Arrays) -> None:
    a["out"][...] = a["x"] - refine(np.empty_like(a["x"]), a["coarse"])


def halves(np: Any, a: Arrays) -> None:
    x = a["x"]
    made = np.empty_like(x)
    made[:, 0::2] = x[:, 0::2] * 2 + 1
    made[:, 1::2] = x[:, 1::2] * 3 - 1
    a["out"][...] = made * x


def square(np: Any, a: Arrays) -> None:
    np.multiply(a["x"], a["x"], out=a["out"])


# Programs, and their bounds.
RACES: dict[str, tuple[Code, Code]] = {
    **{f"fill, {k} grids": (fill(k), fill(1)) for k in GRIDS},
    **{f"x * (g + 1) + y, {k} grids": (equal(k), equal(1)) for k in GRIDS},
    **{f"four programs, {k} grids": (unequal(k), bands(k)) for k in GRIDS},
    "coarse to fine, by a fill": (coarse_to_fine, fill(1)),
    "x - prolong(c), by x * x": (correction, square),
    "two halves, then * x, by x * x": (halves, square),
}


def arrays(np: Any, n: int, dtype: str) -> Arrays:
    x = (numpy.arange(n * n) % 37).astype(dtype).reshape(n, n)
    half = n // 2 + 1
    made = {"x": x, "y": x[::-1] + 1, "coarse": x[:half, :half], "out": x * 0}
    return {name: np.array(value) for name, value in made.items()}


def seconds(code: Code, a: Arrays) -> float:
    begin = time.perf_counter()
    code(hassium, a)
    hassium.flush()
    return time.perf_counter() - begin


def measure(program: Code, bound: Code, n: int, dtype: str, rounds: int) -> float:
    ours, expected = arrays(hassium, n, dtype), arrays(numpy, n, dtype)
    for code in (bound, program):
        code(hassium, ours)
        code(numpy, expected)
        if not numpy.array_equal(numpy.asarray(ours["out"]), expected["out"]):
            raise AssertionError(f"results differ from NumPy's: {n} {dtype}")
    ratios = []
    for turn in range(rounds + 2):
        base = seconds(bound, ours)
        ratio = seconds(program, ours) / base
        if turn >= 2:  # the cache knows both
            ratios.append(ratio)
    return statistics.median(ratios)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--dtypes", nargs="+", default=["float64", "int32"])
    parser.add_argument("--rounds", type=int, default=15)
    known = parser.parse_args()
    columns = [(n, dtype) for n in known.sizes for dtype in known.dtypes]
    rows = []
    for name, (program, bound) in RACES.items():
        row = [name]
        for n, dtype in columns:
            if numpy.dtype(dtype).kind == "i" and program in (coarse_to_fine, correction):
                row.append("")  # means of integers are not integers
            else:
                row.append(f"{measure(program, bound, n, dtype, known.rounds):.2f}")
        rows.append(row)
    print(markdown(["program", *(f"{n} x {n} {dtype}" for n, dtype in columns)], rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
