"""Results that go to memory past the caches, wherever their rows begin in a cache line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug

Code = Callable[[Any, Any, Any, Any], None]
ROWS, COLUMNS = 1500, 1500  # 18 MB of float64


def inside(before: int, behind: int) -> Code:
    def code(xp: Any, x: Any, y: Any, out: Any) -> None:
        columns = slice(before, COLUMNS - behind)
        out[:, columns] = x[:, columns] * 2 + y[:, columns]

    return code


def along(begin: int) -> Code:
    def code(xp: Any, x: Any, y: Any, out: Any) -> None:
        xp.subtract(x.ravel()[begin:] * 3, y.ravel()[begin:], out=out.ravel()[begin:])

    return code


def with_one_in_place(xp: Any, x: Any, y: Any, out: Any) -> None:
    out[:, 3:-2] = x[:, 3:-2] * 2 + y[:, 3:-2]
    y[:, 3:-2] += x[:, 3:-2]


def two_that_differ(xp: Any, x: Any, y: Any, out: Any) -> None:
    out[1:, 5:] = x[1:, 5:] - 1
    y[1:, :-5] = x[1:, 5:] + 1


def compared(xp: Any, x: Any, y: Any, out: Any) -> None:
    out.view(bool).reshape(-1)[7 : 7 + x.size] = (x > y).reshape(-1)


CODES: dict[str, Code] = {
    **{
        f"inside-{b}-{e}": inside(b, e)
        for b, e in ((0, 3), (1, 0), (2, 2), (5, 8), (8, 1), (31, 9))
    },
    **{f"along-{b}": along(b) for b in (0, 1, 4, 63)},
    **{f.__name__: f for f in (with_one_in_place, two_that_differ, compared)},
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c8", "c16"])
@pytest.mark.parametrize("name", CODES)
def test_values_are_numpys(name: str, dtype: str, cold_cache: None) -> None:
    code = CODES[name]
    rows = ROWS * 8 // numpy.dtype(dtype).itemsize
    x = (numpy.arange(rows * COLUMNS) % 101).astype(dtype).reshape(rows, COLUMNS)
    arrays = [x, x[::-1] + x.dtype.type(1), numpy.ones_like(x)]
    ours = [np.array(a) for a in arrays]
    code(numpy, *arrays)
    with np.config(threads=2, eager_elements=0, verify=True):
        code(np, *ours)
        for a, b in zip(ours, arrays, strict=True):
            assert numpy.asarray(a).tobytes() == b.tobytes()


@pytest.mark.parametrize("name", ["inside-2-2", "along-1", "with_one_in_place"])
def test_they_are_streamed(name: str, cold_cache: None) -> None:
    ours = [np.ones((ROWS, COLUMNS)) for _ in range(3)]
    np.flush()
    with debug.capture() as flushes:
        CODES[name](np, *ours)
    assert any("stream" in flush.plan for flush in flushes)


def test_what_the_next_phase_reads_is_not_streamed(cold_cache: None) -> None:
    x, y = np.ones(ROWS * COLUMNS), np.ones(ROWS * COLUMNS)
    np.flush()
    with debug.capture() as flushes:
        sums = np.cumsum(x * y)
        np.flush()
        products = np.cumsum(x) * y
        np.flush()
    assert (sums[-1], products[-1]) == (x.size, x.size)
    between, behind = (flush.plan for flush in flushes)
    assert "panel b" in between
    products_of_panel = between.partition("phase nest")[2].partition("phase ordered")[0]
    assert products_of_panel
    assert "stream" not in products_of_panel
    assert behind.count("stream") == 1


SCANS: dict[str, Code] = {
    "line": lambda xp, x, y, out: xp.cumsum(x.ravel(), out=out.ravel()),
    "from within a line": lambda xp, x, y, out: xp.cumsum(x.ravel()[1:], out=out.ravel()[1:]),
    "rows": lambda xp, x, y, out: xp.cumsum(x, axis=1, out=out),
    "computed": lambda xp, x, y, out: xp.cumsum(x.ravel() * y.ravel(), out=out.ravel()),
    "computed rows": lambda xp, x, y, out: xp.cumsum(x * y, axis=1, out=out),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("name", SCANS)
def test_running_sums_are_streamed(name: str, dtype: str, threads: int, cold_cache: None) -> None:
    rows = 2 * ROWS * 8 // numpy.dtype(dtype).itemsize
    numbers = numpy.random.default_rng(7).integers(-9, 10, (rows, COLUMNS)).astype(dtype)
    arrays = [numbers, numbers[::-1] + numbers.dtype.type(1), numpy.zeros_like(numbers)]
    ours = [np.array(a) for a in arrays]
    SCANS[name](numpy, *arrays)
    np.flush()
    with np.config(threads=threads, verify=True), debug.capture() as flushes:
        SCANS[name](np, *ours)
        np.flush()
    assert any("stream" in flush.plan for flush in flushes)
    for a, b in zip(ours, arrays, strict=True):
        assert numpy.asarray(a).tobytes() == b.tobytes()


def test_running_sums_that_are_read_are_not_streamed(cold_cache: None) -> None:
    x = np.ones(2 * ROWS * COLUMNS)
    np.flush()
    with debug.capture() as flushes:
        sums = np.cumsum(x)
        steps = sums[1:] - sums[:-1]
        np.flush()
    assert steps.sum() == x.size - 1
    assert not any(
        "accumulate" in p and "stream" in p.partition("subtract")[0]
        for p in (flush.plan for flush in flushes)
    )
