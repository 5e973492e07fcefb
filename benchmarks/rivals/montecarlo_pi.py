"""Pi by random points: NumPy's own points, counted by libraries that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("montecarlo_pi")
Size = tuple[int, ...]


def estimates(np: Any, size: Size, dtype: str, count: Callable[[Any, Any], int]) -> Any:
    points, steps = size
    random = np.random.default_rng(PROGRAM.SEED)
    hits = []
    for _ in range(steps):
        x = random.random(points, dtype=dtype)
        y = random.random(points, dtype=dtype)
        hits.append(int(count(x, y)))
    return (4.0 * np.cumsum(hits) / (points * np.arange(1, steps + 1))).astype(dtype)


@cache
def numba_count() -> Any:
    import numba

    @numba.njit(parallel=True)
    def count(x: Any, y: Any) -> int:
        hits = 0
        for i in numba.prange(x.size):
            hits += math.sqrt(x[i] * x[i] + y[i] * y[i]) <= 1.0
        return hits

    return count


def numba(np: Any, size: Size, dtype: str) -> Any:
    return estimates(np, size, dtype, numba_count())


def numexpr(np: Any, size: Size, dtype: str) -> Any:
    import numexpr as library

    def count(x: Any, y: Any) -> int:
        code = "sum(where(sqrt(x * x + y * y) <= 1, 1, 0))"
        return int(library.evaluate(code, {"x": x, "y": y}))

    return estimates(np, size, dtype, count)
