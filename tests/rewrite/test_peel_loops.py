"""Grids of an array that their number does not divide are one map and the last elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug

Code = Callable[[Any, int, int], Any]
pytestmark = pytest.mark.usefixtures("cold_cache")


def fills(xp: Any, n: int, k: int) -> Any:
    out = xp.zeros((12, n), "i4")
    for g in range(k):
        out[:, g::k] = g + 1
    return out


def products(xp: Any, n: int, k: int) -> Any:
    x = xp.arange(12.0 * n).reshape(12, n)
    out = xp.zeros((12, n))
    for g in range(k):
        out[:, g::k] = x[:, g::k] * (g + 1) + x[:, g::k]
    return out


def steps_of_one_array(xp: Any, n: int, k: int) -> Any:
    x = xp.arange(12.0 * n) % 17
    out = xp.zeros(12 * n + 1)
    for g in range(k):
        t = x[g::k] + 0.5
        xp.sqrt(t, out=t)
        out[g : 12 * n : k] = t * (g + 1) - x[g::k]
    return out


def by_rows(xp: Any, n: int, k: int) -> Any:
    x = xp.arange(9.0 * n).reshape(n, 9)
    out = xp.zeros((n, 9))
    for g in range(k):
        out[g::k].T[...] = x[g::k].T - g
    return out


def in_place(xp: Any, n: int, k: int) -> Any:
    u = xp.arange(12.0 * n).reshape(12, n)
    for g in range(k):
        u[:, g::k] *= g + 2
    return u


def masked(xp: Any, n: int, k: int) -> Any:
    x = xp.arange(12.0 * n).reshape(12, n)
    out = xp.full((12, n), -1.0)
    for g in range(k):
        xp.sqrt(x[:, g::k], out=out[:, g::k], where=x[:, g::k] % 3 == 0)
    return out


def reads_the_one_before(xp: Any, n: int, k: int) -> Any:
    u = xp.arange(12.0 * n).reshape(12, n)
    length = n // k
    for g in range(1, k):
        u[:, g::k][:, :length] += u[:, g - 1 :: k][:, :length]
    return u


def reads_the_last(xp: Any, n: int, k: int) -> Any:
    u = xp.arange(12.0 * n).reshape(12, n)
    for g in range(k):
        u[:, g::k] += u[:, n - 1 :]
    return u


def turned_within_a_run(xp: Any, n: int, k: int) -> Any:
    a, b = xp.zeros((12, n)), xp.zeros((12, n))
    x = xp.arange(12.0 * n).reshape(12, n)
    for g in range(k):
        xp.multiply(x[:, g::k], g + 2, out=a[:, g::k])
        xp.add(a[:, g::k][:, ::-1], g, out=b[:, g::k])
    return xp.concatenate([a, b], axis=1)


def two_arrays(xp: Any, n: int, k: int) -> Any:
    a, b = xp.zeros((12, n)), xp.zeros((12, n + 1))
    for g in range(k):
        a[:, g::k] = g
        b[:, g::k] = g * 0.5
    return xp.concatenate([a, b], axis=1)


CODES: list[Code] = [
    fills, products, steps_of_one_array, by_rows, in_place, masked, reads_the_one_before,
    reads_the_last, turned_within_a_run, two_arrays,
]  # fmt: skip


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("code", CODES, ids=lambda code: code.__name__)
def test_values_are_numpys(code: Code, k: int) -> None:
    for n in (1, k - 1, k, k + 1, 3 * k + 1, 40 * k, 40 * k + 1, 41 * k - 1):
        expected = code(numpy, n, k)
        for setting in ("off", "on"):
            with np.config(peel_loops=setting, reroll="on", verify=True, eager_elements=0):
                ours = numpy.asarray(code(np, n, k))
            assert ours.dtype == expected.dtype
            assert ours.tobytes() == expected.tobytes(), (n, setting)


@pytest.mark.parametrize("code", [fills, products, steps_of_one_array, in_place])
@pytest.mark.parametrize("left", [1, 2, 6])
def test_all_grids_are_one_map(code: Code, left: int) -> None:
    with np.config(reroll="on"), debug.capture() as flushes:
        out = code(np, 700 + left, 7)
        np.flush()
    del out
    names = [name for flush in flushes for name, _ in flush.rewrites]
    assert "peel_loops" in names
    assert names[-1] == "reroll"
    maps = [line for flush in flushes for line in flush.rewrites[-1][1].splitlines()]
    written = [line for line in maps if line.startswith(("copy", "multiply", "add", "subtract"))]
    assert len(written) < 20
