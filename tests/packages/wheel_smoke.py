"""Tries an installed hassium, as out of a wheel: `python wheel_smoke.py`. Needs nothing but NumPy.

A fused program, one that runs swapped, functions by way of NumPy and a worker process must give
what NumPy gives. The last lines are what `python -m hassium --info` prints.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Any

import numpy

import hassium

SCRIPT = "import numpy as np; print(type(np.zeros(3)).__module__, float(np.arange(10.0).sum()))"


def heat(np: Any, steps: int = 20) -> Any:
    grid = np.zeros((300, 400))
    grid[0, :], grid[:, 0] = 100.0, 50.0
    for _ in range(steps):
        around = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
        grid[1:-1, 1:-1] = 0.25 * around
    return grid


def programs(np: Any) -> dict[str, Any]:
    x = np.arange(100_000) * 0.25
    rng = np.random.default_rng(7)
    return {
        "heat equation": heat(np),
        "masks": np.where((x > 10.0) & (x < 9_000.0), np.sqrt(x), -1.0),
        "integers": (np.arange(1000, dtype="int16") * 3 // 7) ^ 21,
        "random numbers": rng.random(10_000),
        "sorting": np.argsort(rng.integers(0, 1000, 5000), kind="stable"),
        "by way of NumPy": np.kron(np.eye(3), np.ones((2, 2))),
    }


def main() -> None:
    hassium.reset_stats()
    ours, numpys = programs(hassium), programs(numpy)
    for name, expected in numpys.items():
        found = numpy.asarray(ours[name])
        assert found.dtype == expected.dtype, name
        assert numpy.array_equal(found, expected), name
        print(f"{name}: equal")
    stats = hassium.stats(all=True)
    assert stats["contracted"] > 0, "nothing was fused"
    run = subprocess.run(
        [sys.executable, "-m", "hassium", "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["hassium", "45.0"], run.stdout
    compilers = [name for name in ("c++", "g++", "cc", "gcc", "clang") if shutil.which(name)]
    print(f"compilers in the path: {' '.join(compilers) or 'none'}", flush=True)
    subprocess.run([sys.executable, "-m", "hassium", "--info"], check=True)


if __name__ == "__main__":
    main()
