"""Arrays large enough for the passes, and what a pass makes of the programs over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import hassium as np

N = 160_000  # elements: also as bools they are more than the passes ask for
Code = Callable[..., Any]


def f(xp: Any, v: Any) -> Any:
    """A chain of maps over a temporary."""
    return xp.exp(2 * v + 1) * v


def data() -> list[Any]:
    """x of N elements in [0, 1], and a matrix of them."""
    x = numpy.linspace(0.0, 1.0, N)
    return [x, x.reshape(400, 400) / 2]


def bytes_moved(code: Code, operands: list[Any], setting: str, threads: int) -> int:
    """Bytes that the blocks of a program move under a pass; its bits are those without the pass."""
    own = [np.array(part) for part in operands]
    results = []
    for choice in ("off", "auto"):
        with np.config(**{setting: choice, "threads": threads, "parallelize": "on"}):
            np.flush()
            before = np.stats()["bytes_moved"]
            result = code(np, *own)
            np.flush()
            moved = int(np.stats()["bytes_moved"] - before)
            results.append(numpy.asarray(result))
    assert results[0].tobytes() == results[1].tobytes()
    numpy.testing.assert_allclose(results[1], code(numpy, *operands), rtol=1e-13)
    return moved
