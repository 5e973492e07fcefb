"""A temporary that is read through one view is computed in the order of that view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug
from rewrite.temporaries import Code, N, data

pytestmark = pytest.mark.usefixtures("cold_cache")


def f(xp: Any, v: Any) -> Any:
    return xp.sqrt(2 * v + 1) * v


def same_view_twice(xp: Any, x: Any, m: Any) -> Any:
    t = f(xp, x)[::-1]
    return t * t + x


# Programs over x of N elements and m of 400 x 400 that run as one block.
PULLED: dict[str, Code] = {
    "reversed": lambda xp, x, m: f(xp, x)[::-1] * x,
    "reversed rows": lambda xp, x, m: f(xp, m)[:, ::-1] + m,
    "rows from the last": lambda xp, x, m: f(xp, m)[::-1] + m,
    "a part": lambda xp, x, m: f(xp, x)[1:] - x[:-1],
    "the inside": lambda xp, x, m: f(xp, m)[1:-1, 1:-1] * m[2:, 2:],
    "steps": lambda xp, x, m: f(xp, x)[::2] + x[: N // 2],
    "another shape": lambda xp, x, m: f(xp, x).reshape(80, 2000)[::-1] + x.reshape(80, 2000),
    "of a reversed operand": lambda xp, x, m: f(xp, x[::-1])[::-1] + x,
    "twice the same": same_view_twice,
    "what another reads": lambda xp, x, m: (x * 2 + m.ravel())[::-1] + m.ravel() * 3,
    "in turn": lambda xp, x, m: f(xp, f(xp, x)[::-1] + 1)[2:] * x[2:],
    "a scan from the right": lambda xp, x, m: xp.cumsum(f(xp, x)[::-1]),
}


def two_views(xp: Any, x: Any, m: Any) -> Any:
    t = f(xp, x)
    return t[1:] - t[:-1]


def of_a_shared_source(xp: Any, x: Any, m: Any) -> Any:
    t = x + m.ravel()
    return (t * 3)[1:] - (t * 5)[:-1]


def overwritten(xp: Any, x: Any, m: Any) -> Any:
    t = f(xp, x)
    x[:] = 1
    return t[::-1] + x


def onto_its_operand(xp: Any, x: Any, m: Any) -> Any:
    x[:] = f(xp, x)[::-1]
    return x + 1


# The same where views stay, or what reads them has another shape.
KEPT: dict[str, Code] = {
    "a row for all": lambda xp, x, m: m - f(xp, x)[5:405],
    "a column for all": lambda xp, x, m: m - f(xp, x)[800:0:-2][:, None],
    "two views": two_views,
    "of a shared source": of_a_shared_source,
    "transposed": lambda xp, x, m: f(xp, m).T + m,
    "a sum": lambda xp, x, m: f(xp, x)[::-1].sum(),
    "overwritten": overwritten,
    "onto its operand": onto_its_operand,
    "a diagonal": lambda xp, x, m: xp.diagonal(f(xp, m)) + m[0],
    "windows": lambda xp, x, m: f(xp, x)[:9][xp.arange(3)[:, None] + xp.arange(4)] * 2,
}


def run(code: Code, setting: str, threads: int) -> tuple[bytes, Any, list[debug.Flush]]:
    own = [np.array(part) for part in data()]
    np.flush()
    with np.config(pull_views=setting, threads=threads, parallelize="on"), debug.capture() as seen:
        result = code(np, *own)
        np.flush()
    return numpy.asarray(result).tobytes(), numpy.asarray(result), seen


@pytest.mark.parametrize("name", [*PULLED, *KEPT])
@pytest.mark.parametrize("threads", [1, 2])
def test_bits_stay(name: str, threads: int) -> None:
    code = (PULLED | KEPT)[name]
    expected = code(numpy, *data())
    before, _, _ = run(code, "off", threads)
    for setting in ("auto", "on"):
        bits, result, _ = run(code, setting, threads)
        assert bits == before
        numpy.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("name", PULLED)
def test_a_map_and_the_readers_of_one_view_share_a_block(name: str) -> None:
    _, _, (flush,) = run(PULLED[name], "auto", 1)
    assert "pull_views" in {dump[0] for dump in flush.rewrites}
    assert flush.partition.startswith("partition: 1 blocks")


# A temporary written as one dtype and read as another, whose elements are others.
REINTERPRETED: dict[str, Callable[[Any, Any], Any]] = {
    "parts of complex numbers": lambda xp, z: viewed(xp, 2 * N, "f8", "c16", z * 2)[::-2] * 1.5,
    "bits of floats": lambda xp, z: viewed(xp, N, "i8", "f8", z.real * 2)[::-1] + 1,
    "halves of integers": lambda xp, z: viewed(xp, 2 * N, "i4", "i8", z.imag.astype("i8"))[::2] + 1,
    "the view's own": lambda xp, z: viewed(xp, N, "i8", "f8", z.real).view("f8")[::-1] + 1,
}


def viewed(xp: Any, n: int, dtype: str, written: str, values: Any) -> Any:
    made = xp.empty(n, dtype)
    made.view(written)[...] = values
    return made


@pytest.mark.parametrize("name", REINTERPRETED)
def test_views_of_another_dtype(name: str) -> None:
    z = numpy.arange(N) * (1 + 2j)
    expected = REINTERPRETED[name](numpy, z)
    found = numpy.asarray(REINTERPRETED[name](np, np.array(z)))
    assert numpy.array_equal(found, expected)
