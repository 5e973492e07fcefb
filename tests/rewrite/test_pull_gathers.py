"""A gather of a map's result gathers the map's operands."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np
from rewrite.temporaries import Code, N, bytes_moved, data, f

pytestmark = pytest.mark.usefixtures("cold_cache")


def sides(xp: Any, x: Any, m: Any, i: Any, r: Any) -> Any:
    t = f(xp, x)
    return t[i] + t[i[::-1]]


def chained(xp: Any, x: Any, m: Any, i: Any, r: Any) -> Any:
    return xp.sqrt(f(xp, x)[100:30000][r + 3])[r[:9] % 7]


# Programs over x of N elements, m of 400 x 400, positions i of x (some twice, some negative) and
# rows r, and the share of N elements that they may
# move beside those that are gathered from, all of which count as moved.
PULLED: dict[str, tuple[Code, float]] = {
    "positions": (lambda xp, x, m, i, r: f(xp, x)[i], 0.4),
    "take": (lambda xp, x, m, i, r: xp.take(f(xp, x), i), 0.4),
    "a matrix of positions": (lambda xp, x, m, i, r: f(xp, x)[i.reshape(2, -1)], 0.4),
    "a weighted sum": (lambda xp, x, m, i, r: (x[: i.size] * f(xp, x)[i]).sum(), 0.4),
    "rows": (lambda xp, x, m, i, r: f(xp, m)[r], 0.4),
    "columns": (lambda xp, x, m, i, r: f(xp, m)[:, r], 0.4),
    "elements of a column": (lambda xp, x, m, i, r: f(xp, m)[r, 3], 0.1),
    "elements of a row": (lambda xp, x, m, i, r: f(xp, m)[3, ::-1][r], 0.1),
    "places": (lambda xp, x, m, i, r: f(xp, m)[r, r + 1], 0.1),
    "of a transposed": (lambda xp, x, m, i, r: f(xp, m).T[r, 4], 0.1),
    "of a view": (lambda xp, x, m, i, r: f(xp, x)[100::3][r], 0.1),
    "a mask": (lambda xp, x, m, i, r: f(xp, x)[x < 0.06], 0.6),
    "along an axis": (
        lambda xp, x, m, i, r: xp.take_along_axis(f(xp, m), xp.arange(800).reshape(-1, 2) % 9, 1),
        0.3,
    ),
    "of a broadcast operand": (lambda xp, x, m, i, r: (m[:, :1] * m[3] + 1)[r], 0.3),
    "of what repeats": (lambda xp, x, m, i, r: (m * m[:, 2:3])[:, r], 0.4),
    "twice": (sides, 1.8),
    "in turn": (chained, 0.1),
}


def indexed() -> list[Any]:
    rng = numpy.random.default_rng(5)
    i = rng.integers(-N, N, N // 16)
    i[3] = i[4]
    return [*data(), i, rng.integers(0, 190, 12)]


@pytest.mark.parametrize("name", PULLED)
@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_else_is_computed(name: str, threads: int) -> None:
    code, share = PULLED[name]
    moved = bytes_moved(code, indexed(), "pull_gathers", threads)
    assert moved <= (1 + share) * 8 * N


def as_many(xp: Any, x: Any, i: Any) -> Any:
    return f(xp, x)[xp.concatenate([i] * 20)]


def overwritten(xp: Any, x: Any, i: Any) -> Any:
    t = f(xp, x)
    x[:] = 3
    return t[i]


def kept(xp: Any, x: Any, i: Any) -> Any:
    t = f(xp, x)
    return t[i] + t.sum()


def from_many(xp: Any, x: Any, i: Any) -> Any:
    a, b, c = x + 1, x + 2, x - 3
    return [a, b, c], (a / b + c)[xp.concatenate([i] * 8)]


@pytest.mark.parametrize("code", [as_many, overwritten, kept, from_many])
def test_values_are_the_same_where_nothing_is_pulled(code: Code) -> None:
    x, _, i, _ = indexed()
    own = np.array(x), np.array(i)
    expected = code(numpy, x.copy(), i)
    found = code(np, *own)
    for a, b in zip(expected, found, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(b), a, rtol=1e-13)


def test_positions_out_of_range_raise_at_the_call() -> None:
    x = np.array(data()[0])
    for bad in ([0, N], [-N - 1], numpy.array([1, 2, -N - 5])):
        with pytest.raises(IndexError, match="out of bounds"):
            f(np, x)[bad]
