"""Flushes of one family in many geometries: plans and code bound to other numbers.

Every program here is flushed with many extents, strides, offsets and layouts, so that most flushes
take the plans of another geometry. With `verify` on each of them is compared, field by field, with
the plans and the code that planning makes anew. Bits are compared with a run without the cache.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

Arrays = list[Any]
Source = Callable[[], Any]


pytestmark = pytest.mark.usefixtures("cold_cache")


def source(shape: tuple[int, int], layout: random.Random, numbers: random.Random) -> Source:
    """Makes a view of this shape of a larger array, the same one each time.

    Steps, margins and the order of the axes follow the layout, the margins' sizes the numbers.
    """
    steps = [layout.choice([1, 1, 1, -1, 2, -3]) for _ in shape]
    turned = layout.random() < 0.3
    margins = [0 if layout.random() < 0.5 else numbers.randint(1, 4) for _ in shape]
    whole = [m + abs(s) * n + m for n, s, m in zip(shape, steps, margins, strict=True)]
    values = numpy.random.default_rng(numbers.randrange(1 << 30)).integers(-9, 9, whole)
    first = tuple(
        slice(m, m + abs(s) * n, abs(s)) for n, s, m in zip(shape, steps, margins, strict=True)
    )
    then = tuple(slice(None, None, -1 if s < 0 else 1) for s in steps)

    def make() -> Any:
        owned = np.asarray((values.T if turned else values).astype("float64")) + 0.0
        np.flush()
        return (owned.T if turned else owned)[first][then]

    return make


def extents(numbers: random.Random) -> tuple[int, int]:
    if numbers.random() < 0.1:
        return numbers.choice([0, 1, 5]), numbers.choice([0, 1, 7])
    most = numbers.choice([3, 9, 40, 150, 700])
    return numbers.randint(1, most), numbers.randint(1, most)


def maps(xp: Any, a: Any, b: Any) -> Arrays:
    t = a * 2.0 + b
    u = t - a * t
    a += u
    return [a, u + b * 0.5]


def reductions(xp: Any, a: Any, b: Any) -> Arrays:
    t = a * b
    return [t.sum(axis=0), t.max(axis=0, initial=-100.0), (a - b).sum(axis=1), t.sum(), a.sum(0)]


def stencil(xp: Any, a: Any, b: Any) -> Arrays:
    for _ in range(2):
        inside = a[1:-1, 1:-1]
        around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        inside[...] = (inside + around) * 0.2
    return [a, b[1:] - b[:-1]]


def elimination(xp: Any, a: Any, b: Any) -> Arrays:
    column, row = a[:, 0:1], b[0:1]
    a -= column * row
    b[1:, 1:] -= (b[1:, 0] * 0.5)[:, None] * b[0:1, 1:]
    return [a, b]


def selections(xp: Any, a: Any, b: Any) -> Arrays:
    mask = a > b
    t = xp.where(mask, a, b * 2.0)
    xp.add(t, b, out=a, where=mask)
    b[b < 0.0] = 3.0
    return [a, b, t, xp.sum(t, axis=1, where=mask)]


def casts(xp: Any, a: Any, b: Any) -> Arrays:
    whole = a.astype("int32") * 3
    short = b.astype("float32") + whole
    return [whole, short.sum(axis=0), (short * 1j + a).imag, whole[::2].sum(axis=1)]


def scans(xp: Any, a: Any, b: Any) -> Arrays:
    t = a + b
    return [xp.cumsum(t, axis=1), xp.cumsum(t, axis=0) * 2.0, t * 2.0]


def counting(xp: Any, a: Any, b: Any) -> Arrays:
    i = xp.arange(a.shape[1], dtype="float64")
    j = xp.arange(a.shape[0], dtype="float64")
    return [i * a, b + j[:, None], i[None, :] * j[:, None]]


def flush(program: Callable[..., Arrays], a: Source, b: Source) -> list[tuple[Any, bytes]]:
    made = a(), b()
    results = program(np, *made)
    np.flush()
    found = [numpy.asarray(r) for r in results]
    return [(r.shape, r.tobytes()) for r in found]


def sums(xp: Any, a: Any, b: Any) -> Arrays:
    made = []
    for k in range(4):
        made.append((a * float(k) + b[:, ::-1]).sum(axis=0))
        b *= 0.5
    return made


@pytest.mark.parametrize(
    "program", [maps, reductions, stencil, elimination, selections, casts, scans, counting, sums]
)
def test_one_family_in_many_geometries(program: Callable[..., Arrays]) -> None:
    numbers = random.Random(program.__name__)
    for layout in range(6):
        for _ in range(40):
            shape = extents(numbers)
            if program in (stencil, elimination):
                shape = shape[0] + 2, shape[1] + 2
            drawn = random.Random(layout)
            a, b = (source(shape, drawn, numbers) for _ in range(2))
            with np.config(cache=False):
                cold = flush(program, a, b)
            assert flush(program, a, b) == cold, shape
    stats = np.stats()
    assert stats["cache_symbolic_hits"] > 100
    assert stats["blocks_rebound"] > 2 * stats["blocks_replanned"]


def steps(xp: Any, n: int, apart: int, constants: bool = False) -> Arrays:
    """Ten equal steps on views that lie `apart` from one step to the next."""
    x = xp.arange(float(n + 10 * apart + 2))
    made = []
    for k in range(10):
        part = x[k * apart : k * apart + n]
        part[1:-1] = (part[:-2] + part[2:]) * (0.5 + k * constants)
        made.append(part.sum())
    return [x, *made]


@pytest.mark.parametrize("constants", [False, True])
def test_steps_of_a_loop_are_bound_once(constants: bool) -> None:
    """What one step was given others take over while all their numbers are the same."""
    for n in (50, 51, 75, 200, 199):
        with np.config(lazy_scalars="on"):
            found = steps(np, n, 0, constants)
        np.flush()
        for mine, theirs in zip(found, steps(numpy, n, 0, constants), strict=True):
            assert numpy.array_equal(numpy.asarray(mine), theirs), n
    stats = np.stats()
    assert stats["cache_symbolic_hits"] == 4
    assert stats["blocks_congruent"] > 0.8 * stats["blocks_rebound"] > 50


def test_steps_that_are_equal_by_chance_are_no_trap() -> None:
    """In one flush all steps are on one view, in the next each is on its own."""

    def run(xp: Any, n: int, starts: list[int], strides: list[int]) -> Arrays:
        x, y = xp.arange(float(n * 8)), xp.arange(float(n * 8)) * 0.5
        for start, stride in zip(starts, strides, strict=True):
            part = x[start : start + n * stride : stride]
            part[1:] = part[:-1] * 0.5 - y[start : start + n * stride : stride][1:]
        return [x, y]

    alike = [([0] * 6, [1] * 6), ([3] * 6, [2] * 6), ([0] * 6, [3] * 6)]
    apart = [
        ([0, 1, 2, 3, 4, 5], [1] * 6),
        ([3] * 6, [2, 2, 3, 2, 2, 3]),
        ([0, 5, 5, 0, 5, 5], [2, 2, 2, 2, 3, 2]),
    ]
    for n in (20, 33, 70, 71, 300):
        for starts, strides in [*alike, *apart, *alike]:
            found = run(np, n, starts, strides)
            np.flush()
            for mine, theirs in zip(found, run(numpy, n, starts, strides), strict=True):
                assert numpy.array_equal(numpy.asarray(mine), theirs), (n, starts, strides)
    assert np.stats()["blocks_congruent"] > 20


def test_sweeps_are_found_again() -> None:
    """Whether two nests run as one sweep, and how far apart, follows the numbers."""
    with np.config(sweep="auto"):
        for n in [600, 40, 601, 900, 35, 700, 620, 50, 610]:
            for reach in (1, 2):
                values = numpy.random.default_rng(n).random((n, n))

                def run(xp: Any, grid: Any, reach: int = reach) -> Any:
                    cells = grid[2:-2, 2:-2]
                    up, down = grid[2 - reach : -2 - reach, 2:-2], grid[2 + reach :, 2:-2]
                    fresh = cells * 0.5 + up + down[: cells.shape[0]]
                    cells[...] = fresh
                    return grid

                grid = np.asarray(values.copy()) + 0.0
                np.flush()
                found = numpy.asarray(run(np, grid))
                assert numpy.array_equal(found, run(numpy, values.copy())), (n, reach)
    stats = np.stats()
    assert stats["sweeps"] > 4
    assert stats["blocks_rebound"] > 4


def test_temporaries_that_coincide_by_chance_are_no_trap() -> None:
    """Two views of one base are one operand in one flush and two in another."""
    for start in (0, 3, 0, 5, 9, 0, 1):
        values = numpy.arange(64.0)

        def run(xp: Any, x: Any, start: int = start) -> Arrays:
            first, second = x[:20], x[start : start + 20]
            return [first * 2.0 + second, (first - second).sum()]

        x = np.asarray(values.copy()) + 0.0
        np.flush()
        found = [numpy.asarray(r) for r in run(np, x)]
        for f, e in zip(found, run(numpy, values), strict=True):
            assert numpy.array_equal(f, e), start


def windows(xp: Any, x: Any, w: Any, starts: list[tuple[int, int]]) -> Arrays:
    """Blocks of two phases: sums of products, and what is made of them."""
    made = xp.zeros((12, 40, 6))
    for k, (i, j) in enumerate(starts):
        seen = x[:, i : i + 3, j : j + 4, None] * w
        made[:, k] = seen.sum(axis=(1, 2)) * 0.5 + k
    return [made]


def fillings(xp: Any, x: Any, w: Any, starts: list[tuple[int, int]]) -> Arrays:
    """The same, into an array in which nothing lies at equal distances."""
    made = xp.zeros((30, 30, 6))
    for i, j in starts:
        made[i : i + 12, j] = xp.sqrt((x[:, i : i + 3, j : j + 4, None] * w).sum(axis=(1, 2)))
    return [made]


def panels(xp: Any, x: Any, w: Any, starts: list[tuple[int, int]]) -> Arrays:
    """Rows that are normalised: what lives between the phases has room for a panel."""
    made = []
    for i, j in starts:
        rows = x[:, i : i + 3, j : j + 4] * 1.5
        made.append((rows - rows.mean(axis=2, keepdims=True)) / rows.max(axis=2, keepdims=True))
    return made


def lines(xp: Any, x: Any, w: Any, starts: list[tuple[int, int]]) -> Arrays:
    return [xp.cumsum(x[:, i : i + 3, j : j + 4] * 2.0, axis=2) + 1.0 for i, j in starts]


@pytest.mark.parametrize("program", [windows, fillings, panels, lines])
def test_blocks_of_several_phases_move(program: Callable[..., Arrays]) -> None:
    """Windows that slide: the shapes are the same, and only offsets change."""
    draw = random.Random(program.__name__)
    x, w = numpy.random.default_rng(3).random((2, 12, 30, 30)) + 0.5
    w = w[0, :12, :6].reshape(3, 4, 6)
    ours = np.array(x), np.array(w)
    for _ in range(60):
        first = draw.randrange(200)
        starts = [((first + k) // 17 % 17, (first + k) % 17) for k in range(20)]
        if draw.random() < 0.2:
            draw.shuffle(starts)
        if draw.random() < 0.2:
            starts[draw.randrange(20)] = starts[draw.randrange(20)]
        found = program(np, *ours, starts)
        np.flush()
        for mine, theirs in zip(found, program(numpy, x, w, starts), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(mine), theirs, rtol=1e-12)
    stats = np.stats()
    assert stats["cache_symbolic_hits"] > 30
    assert stats["blocks_rebound"] > max(2 * stats["blocks_replanned"], 30)
