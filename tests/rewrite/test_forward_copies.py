"""Arrays that are only put together to be read are read where their pieces come from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium as np
from scripts import script

Code = Callable[[Any, Any], Any]


@pytest.fixture(autouse=True)
def in_pieces(cold_cache: None) -> Iterator[None]:
    with np.config(forward_copies="on"):
        yield


def laplacian(xp: Any, x: Any) -> Any:
    around = xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) + xp.roll(x, -1, 1)
    return around - 4 * x


def neighbours(xp: Any, x: Any) -> Any:
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return sum(xp.roll(xp.roll(x, i, 0), j, 1) for i, j in shifts)


def reaction(xp: Any, x: Any) -> Any:
    u, v = x.copy(), x[::-1].copy()
    for _ in range(3):
        both = u * v * v
        u += 0.16 * laplacian(xp, u) - both
        v += 0.08 * laplacian(xp, v) + both
    return u, v


def framed(xp: Any, x: Any) -> Any:
    p = xp.zeros((x.shape[0] + 2, x.shape[1] + 2), x.dtype)
    p[1:-1, 1:-1] = x
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] * p[1:-1, 2:]


def framed_again(xp: Any, x: Any) -> Any:
    for k in range(4):
        p = xp.pad(x, 1) if k % 2 else xp.concatenate([x[-1:] * 0, x, x[:1]])[:, :-2]
        x = p[2:, 2:] + p[:-2, :-2] if k % 2 else p[1:-1] + p[2:]
    return x


def lorenz(xp: Any, x: Any) -> Any:
    def slope(y: Any) -> Any:
        a, b, c = y
        return xp.stack([10 * (b - a), a * (28 - c) - b, a * b - c])

    y = x[:3]
    for _ in range(3):
        k = slope(y)
        y = y + 0.01 * (k + slope(y + 0.02 * k))
    return y


def differences(xp: Any, x: Any) -> Any:
    d = xp.roll(x, 1, 0) - x
    return d * 2, (d * d).sum(axis=1), d.max()


def closed(xp: Any, x: Any) -> Any:
    return xp.diff(xp.concatenate([x, x[:1]]), axis=0) / 2


def stacked(xp: Any, x: Any) -> Any:
    both = xp.stack([x, x * 2, x - 1])
    return both * both[0], both[1] + 1, xp.where(both > 0, both, -both)


def by_hand(xp: Any, x: Any) -> Any:
    t = xp.empty_like(x)
    t[0], t[1:, :3], t[1:, 3:] = x[1], x[:-1, -3:], 7
    t[2:4, 1:5] = x[3:5, :4]
    return t + x, xp.sqrt(abs(t))


def broadcast(xp: Any, x: Any) -> Any:
    row = xp.concatenate([x[0, 2:], x[1, :2]])
    return x * row + row, x.T - row[:, None]


CODES: list[Code] = [
    laplacian, neighbours, reaction, framed, framed_again, lorenz, differences, closed, stacked,
    by_hand, broadcast,
]  # fmt: skip
CASES = [
    (code, dtype)
    for code in CODES
    for dtype in ("f8", "f4", "i4", "c16")
    if (code, dtype) not in ((reaction, "i4"), (differences, "c16"))  # casts; orders
]


def results(found: Any) -> list[Any]:
    parts = found if isinstance(found, tuple) else (found,)
    return [numpy.asarray(part) for part in parts]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", [(7, 9), (40, 67)])
@pytest.mark.parametrize(("code", "dtype"), CASES, ids=lambda part: getattr(part, "__name__", part))
def test_the_same_bits(code: Code, shape: tuple[int, int], dtype: str, threads: int) -> None:
    values = numpy.random.default_rng(1).integers(1, 9, shape)
    x = (values / (1 if dtype == "i4" else 4)).astype(dtype)
    own = np.array(x)
    with np.config(threads=threads, parallelize="on"):
        for _ in range(2):
            wanted, found = results(code(numpy, x)), results(code(np, own))
            assert len(wanted) == len(found)
            for a, b in zip(wanted, found, strict=True):
                assert a.dtype == b.dtype
                assert a.tobytes() == b.tobytes()


def test_a_stencil_of_rolls_moves_what_a_stencil_of_slices_does() -> None:
    x = np.array(numpy.random.default_rng(2).random((50, 60)))
    np.flush()
    np.reset_stats()
    y = laplacian(np, x)
    np.flush()
    stats = np.stats()
    # Interior, rows, columns and corners: five views are read and one is written, without the
    # sixteen of four rolled arrays.
    assert stats["blocks"] == 4
    assert stats["bytes_moved"] <= 6 * 50 * 60 * 8
    assert y.shape == (50, 60)


def test_rolled_twice_is_not_made_once() -> None:
    x = np.array(numpy.random.default_rng(3).random((50, 60)))
    np.flush()
    np.reset_stats()
    y = neighbours(np, x)
    np.flush()
    assert np.stats()["blocks"] == 4
    assert np.stats()["bytes_moved"] <= 9 * 50 * 60 * 8
    assert y.shape == (50, 60)


def test_small_arrays_are_left_whole() -> None:
    with np.config(forward_copies="auto"):
        x = np.array(numpy.random.default_rng(4).random((50, 60)))
        np.flush()
        np.reset_stats()
        laplacian(np, x).copy()
        y = laplacian(np, x)
        np.flush()
        assert np.stats()["blocks"] > 4
        assert y.shape == (50, 60)


def test_a_large_array_is_cut_after_a_small_one_of_the_same_form() -> None:
    with np.config(forward_copies="auto"):
        for n in (20, 200):
            x = np.array(numpy.random.default_rng(5).random((n, n)))
            np.flush()
            np.reset_stats()
            y = laplacian(np, x)
            np.flush()
            assert (np.stats()["blocks"] == 4) == (n == 200)
            assert (numpy.asarray(y) == laplacian(numpy, numpy.asarray(x))).all()


def test_ever_other_shapes_are_planned_once_in_the_end() -> None:
    with np.config(forward_copies="auto"):
        for n in range(200, 240):
            x = np.array(numpy.random.default_rng(6).random((n, n)))
            np.flush()
            np.reset_stats()
            y = laplacian(np, x)
            np.flush()
            assert (numpy.asarray(y) == laplacian(numpy, numpy.asarray(x))).all()
            assert np.stats()["blocks"] == 4
        assert np.stats()["cache_symbolic_hits"] == 1


def test_the_second_time_is_a_hit() -> None:
    x = np.array(numpy.random.default_rng(7).random((50, 60)))
    for _ in range(3):
        np.flush()
        np.reset_stats()
        y = laplacian(np, x)
        np.flush()
    assert np.stats()["cache_hits"] == 1
    assert np.stats()["cache_misses"] == 0
    assert y.shape == (50, 60)


def test_a_source_that_changes_before_it_is_read() -> None:
    start = numpy.arange(60.0).reshape(6, 10)

    def code(xp: Any, x: Any) -> Any:
        x = x.copy()
        rolled = xp.roll(x, 1, 0)
        x[2] = -1
        again = xp.roll(x, 1, 1)
        y = rolled + again
        x += xp.roll(x, 2, 1)
        return x, y

    for a, b in zip(results(code(numpy, start)), results(code(np, np.array(start))), strict=True):
        assert (a == b).all()


def test_a_condition_is_told_once_for_all_cells() -> None:
    x = np.array(numpy.tile([0.0, 1.0], (40, 30)))
    np.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = 1.0 / (np.roll(x, 1, 0) * np.roll(x, 2, 1))
        np.flush()
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    assert y.shape == (40, 60)


def test_what_was_cut_is_explained() -> None:
    x = np.array(numpy.random.default_rng(8).random((50, 60)))
    with np.explain() as text:
        y = laplacian(np, x)
        np.flush()
    assert "return around - 4 * x" in str(text)
    assert "shares a loop with line" in str(text)
    with np.debug.captured() as flushes:
        y = laplacian(np, x)
        np.flush()
    assert len(flushes) == 1
    assert y.shape == (50, 60)


FAILED = """
import resource
import numpy
import hassium as np
def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
np.config(forward_copies="on", eager_elements=0, partitioner="singleton", threads=1)
start = numpy.arange(3000.0).reshape(50, 60)
x = np.array(start)
np.flush()
most = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (mapped() + (64 << 20), most))
t = np.roll(x, 1, 0) + 1.0
u = np.sqrt(np.roll(x, 1, 1))
big = np.ones(1 << 25) + 1.0
z = t * 2.0 - u
del t, u
x += 1.0
try:
    np.flush()
    print("enough")
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (most, most))
wanted = (numpy.roll(start, 1, 0) + 1.0) * 2.0 - numpy.sqrt(numpy.roll(start, 1, 1))
print((numpy.asarray(z) == wanted).all())
print(float(big[-1]), (numpy.asarray(x) == start + 1.0).all())
z = big = None
np.flush()
print(np.stats()["bytes_held"] < 1 << 20)
"""


@pytest.mark.usefixtures("limited_memory")
def test_what_failed_between_cells_loses_nothing() -> None:
    assert script(FAILED) == ["MemoryError", "True", "2.0", "True", "True"]
