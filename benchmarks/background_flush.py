"""Times loops that never read, with and without background flushes.

    python -m benchmarks.background_flush [--rounds 15] [--only NAME ...]

Each program runs on one thread, on two with the setting `background_flush` off (`shared`), and on
two by default (`background`), alternating in one process, beside NumPy; results are compared.
Figures are medians over rounds: microseconds of a step on one thread, and speed-ups of the others.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.in_turn import Loop, Race, main


def heat(np: Any, n: int, steps: int) -> Any:
    u = np.zeros((n, n))
    u[0] = 1.0
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.2 * (
            u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        )
    return u


def two_rods(np: Any, n: int, steps: int) -> Any:
    """Computes means of three points, from one array to another and back."""
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
    """Simulates electric and magnetic fields in a plane, with a source along one edge."""
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
    """Runs a gradient method with moving averages; its weights change in every step."""
    w, m, v, target = np.ones(n), np.zeros(n), np.zeros(n), np.linspace(0.0, 1.0, n)
    for k in range(1, steps + 1):
        g = 2 * (w - target)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**k)) / (np.sqrt(v / (1 - 0.999**k)) + 1e-8)
    return w


LOOPS = [
    Loop(heat, (100, 200), 600),
    Loop(two_rods, (2_000, 10_000), 1000),
    Loop(life, (100, 200), 300),
    Loop(fdtd, (100, 200), 400),
    Loop(runge_kutta, (1_000, 10_000), 300),
    Loop(adam, (1_000, 10_000), 300),
]
RACE = Race(
    ways={
        "one thread": {"threads": 1},
        "shared": {"threads": 2, "background_flush": "off"},
        "background": {"threads": 2, "background_flush": "auto"},
    },
    base="one thread",
    counter="background_flushes",
    counted_in="background",
)

if __name__ == "__main__":
    sys.exit(main(__doc__, LOOPS, RACE))
