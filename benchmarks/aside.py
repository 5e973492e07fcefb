"""Time loops that never read, their flushes aside or not: `python -m benchmarks.aside`.

    python -m benchmarks.aside [--rounds 15] [--only NAME ...]

Each program runs on one thread, on two with the setting `aside` off, and on two as usual, in turn
in one process, beside NumPy; results are compared. Figures are medians over rounds: milliseconds on
one thread, and how many times as fast two threads and NumPy were. `aside` counts the flushes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

import hassium
from benchmarks.partition import markdown


def heat(np: Any, n: int, steps: int) -> Any:
    u = np.zeros((n, n))
    u[0] = 1.0
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.2 * (
            u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        )
    return u


def two_rods(np: Any, n: int, steps: int) -> Any:
    """Means of three points, from one array to another and back."""
    a, b = np.linspace(0.0, 1.0, n), np.linspace(1.0, 0.0, n)
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a


def life(np: Any, n: int, steps: int) -> Any:
    g = (np.arange(n * n).reshape(n, n) % 3 == 0).astype(np.int32)
    for _ in range(steps):
        above = g[:-2, :-2] + g[:-2, 1:-1] + g[:-2, 2:]
        beside = g[1:-1, :-2] + g[1:-1, 2:]
        below = g[2:, :-2] + g[2:, 1:-1] + g[2:, 2:]
        around = above + beside + below
        born = (around == 3) | ((around == 2) & (g[1:-1, 1:-1] == 1))
        g = np.zeros_like(g)
        g[1:-1, 1:-1] = born
    return g


def fdtd(np: Any, n: int, steps: int) -> Any:
    """Electric and magnetic fields in a plane, a source along one edge."""
    ex, ey, hz = np.ones((n, n)), np.ones((n, n)), np.ones((n, n))
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


def runge_kutta(np: Any, n: int, steps: int) -> Any:
    x, y, h = np.linspace(0.0, 1.0, n), np.zeros(n), 1e-3
    for _ in range(steps):
        k1 = x * x - y
        k2 = x * x - (y + h / 2 * k1)
        k3 = x * x - (y + h / 2 * k2)
        k4 = x * x - (y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def adam(np: Any, n: int, steps: int) -> Any:
    """A gradient method with moving averages; its weights change in every step."""
    w, m, v, target = np.ones(n), np.zeros(n), np.zeros(n), np.linspace(0.0, 1.0, n)
    for k in range(1, steps + 1):
        g = 2 * (w - target)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**k)) / (np.sqrt(v / (1 - 0.999**k)) + 1e-8)
    return w


@dataclass(frozen=True)
class Loop:
    code: Callable[[Any, int, int], Any]
    sizes: tuple[int, ...]
    steps: int


LOOPS = [
    Loop(heat, (100, 200), 600),
    Loop(two_rods, (2_000, 10_000), 1000),
    Loop(life, (100, 200), 300),
    Loop(fdtd, (100, 200), 400),
    Loop(runge_kutta, (1_000, 10_000), 300),
    Loop(adam, (1_000, 10_000), 300),
]
WAYS: dict[str, dict[str, Any]] = {
    "one": {"threads": 1},
    "shared": {"threads": 2, "aside": "off"},
    "aside": {"threads": 2, "aside": "auto"},
}
WARM = 2  # rounds: the second one finds what the first one left in the cache


def timed(np: Any, loop: Loop, n: int) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = numpy.asarray(loop.code(np, n, loop.steps))
    return time.perf_counter() - begin, result


def measure(loop: Loop, n: int, rounds: int) -> list[str]:
    seconds: dict[str, list[float]] = {way: [] for way in (*WAYS, "numpy")}
    asides = 0
    for turn in range(WARM + rounds):
        usual, expected = timed(numpy, loop, n)
        taken = {"numpy": usual}
        for way, settings in WAYS.items():
            with hassium.config(**settings):
                hassium.reset_stats()
                taken[way], result = timed(hassium, loop, n)
                if way == "aside":
                    asides = hassium.stats()["flushes_aside"]
            if not numpy.array_equal(result, expected):
                raise AssertionError(f"{loop.code.__name__} of {n} differs from NumPy: {settings}")
        if turn >= WARM:
            for way, value in taken.items():
                seconds[way].append(value)

    def times(way: str) -> str:
        pairs = zip(seconds["one"], seconds[way], strict=True)
        return f"{statistics.median(one / other for one, other in pairs):.2f}"

    one = f"{1e3 * statistics.median(seconds['one']):.2f} ms"
    figures = [times("numpy"), one, times("shared"), times("aside"), str(asides)]
    return [loop.code.__name__, f"{n:,}", *figures]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    known = parser.parse_args()
    head = ["program", "n", "NumPy", "one thread", "two, shared", "two, aside", "flushes aside"]
    rows = [
        measure(loop, n, known.rounds)
        for loop in LOOPS
        if not known.only or loop.code.__name__ in known.only
        for n in loop.sizes
    ]
    print(markdown(head, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
