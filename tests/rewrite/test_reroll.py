"""Loops over grids, rows and columns are one map each; values and warnings are NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug

Code = Callable[[Any], Any]


def grids(k: int, columns: int, dtype: str) -> Code:
    def code(xp: Any) -> Any:
        x = (xp.arange(30 * columns) % 91).astype(dtype).reshape(30, columns)
        out = xp.zeros((30, columns), dtype)
        for g in range(k):
            out[:, g::k] = x[:, g::k] * xp.asarray(g + 1, dtype) + x[:, g::k]
        return out

    return code


def rows(xp: Any) -> Any:
    x = xp.arange(60.0 * 7).reshape(60, 7)
    out = xp.zeros((60, 7))
    for k in range(60):
        out[k] = xp.sqrt(x[k]) * 0.5 - x[59 - k]
    return out


def checkerboard(xp: Any) -> Any:
    u = xp.arange(34.0 * 34).reshape(34, 34) % 7
    for _ in range(3):
        for i, j in ((0, 0), (1, 1), (0, 1), (1, 0)):
            here = (slice(1 + i, 33, 2), slice(1 + j, 33, 2))
            u[here] = 0.25 * (
                u[i : 32 + i : 2, here[1]]
                + u[2 + i : 34 : 2, here[1]]
                + u[here[0], j : 32 + j : 2]
                + u[here[0], 2 + j : 34 : 2]
            )
    return u


def neighbours(xp: Any) -> Any:
    """Grids in place, of which each but the first reads the one before."""
    u = xp.arange(40.0 * 64).reshape(40, 64)
    for g in range(8):
        u[:, g::8] *= 0.5
    for g in range(1, 8):
        u[:, g::8] += u[:, g - 1 :: 8]
    for g in range(8):
        xp.multiply(u[:, g::8], u[:, g : g + 1], out=u[:, g::8])
    return u


def transposed(xp: Any) -> Any:
    x = xp.arange(24.0 * 36).reshape(24, 36)
    out = xp.zeros((36, 24))
    for g in range(4):
        out[g::4, ::-1] = x[:, g::4].T * (g + 1.5)
    return out


def selected(xp: Any) -> Any:
    x = xp.arange(20.0 * 32).reshape(20, 32)
    out = xp.full((20, 32), -1.0)
    for g in range(4):
        xp.sqrt(x[:, g::4], out=out[:, g::4], where=x[:, g::4] % 3 == 0)
    return out


def two_results(xp: Any) -> Any:
    x = xp.arange(20 * 32).reshape(20, 32) - 300
    q, r = xp.zeros((20, 32), int), xp.zeros((20, 32), int)
    for g in range(4):
        xp.divmod(x[:, g::4], 7, out=(q[:, g::4], r[:, g::4]))
    return q * 1000 + r


def many(xp: Any) -> Any:
    """Hundreds of columns, with constants of their own."""
    out = xp.zeros((16, 700))
    for k in range(700):
        out[:, k] = k * 0.25
    return out


CODES: dict[str, Code] = {
    **{
        f"grids-{k}-{columns}-{dtype}": grids(k, columns, dtype)
        for k in (2, 3, 5, 8, 16)
        for columns, dtype in ((48, "f8"), (50, "f8"), (48, "i4"), (47, "i1"), (48, "c16"))
    },
    **{f.__name__: f for f in (rows, checkerboard, neighbours, transposed, selected)},
    **{f.__name__: f for f in (two_results, many)},
}


@pytest.mark.parametrize("partitioner", ["auto", "singleton", "linear"])
@pytest.mark.parametrize("name", CODES)
def test_values_are_numpys(name: str, partitioner: str) -> None:
    with np.config(reroll="on", eager_elements=0, partitioner=partitioner, verify=True):
        found = numpy.asarray(CODES[name](np))
    expected = CODES[name](numpy)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


def instructions(code: Code) -> int:
    """How many maps run, of a program that flushes once."""
    np.flush()
    with debug.capture() as flushes:
        code(np)
        np.flush()
    words = [line.split()[0] for flush in flushes for line in flush.program.splitlines()]
    return sum(word not in ("base", "del", "sync") for word in words)


def test_grids_of_equal_programs_are_one_program(cold_cache: None) -> None:
    x, y = np.ones((64, 64)), np.ones((64, 64))
    out = np.empty((64, 64))

    def fused(k: int) -> Code:
        def code(xp: Any) -> None:
            for g in range(k):
                out[:, g::k] = x[:, g::k] * (g + 2.0) + y[:, g::k]

        return code

    with np.config(queue_instructions=4096):
        assert instructions(fused(1)) + 1 == instructions(fused(4)) == instructions(fused(32))


def faulty(xp: Any) -> Any:
    x = xp.arange(64.0 * 64).reshape(64, 64)
    out = xp.zeros((64, 64))
    out[:, 0::2] = 1.0 / x[:, 0::2]
    out[:, 1::2] = 1.0 / x[:, 1::2]
    for g in range(8):
        out[:, g::8] = xp.sqrt(x[:, g::8] - 3.0)
    return out


def test_each_run_warns_for_itself(cold_cache: None) -> None:
    told = []
    for xp in (numpy, np):
        with warnings.catch_warnings(record=True) as caught, np.config(reroll="on"):
            warnings.simplefilter("always")
            result = faulty(xp)
            np.flush()
        told.append([(str(w.message), w.lineno) for w in caught])
        assert numpy.isnan(numpy.asarray(result)).sum() == 3
    assert told[0] == told[1]
    assert len(told[0]) == 4
