"""Work on an array and on its reshaped views in one block: same bits as apart.

Blocks of several shapes take the axes that all of them can be written in; where there are none, or
an array cannot be seen in the other shape, work stays apart. Flushes of one structure whose numbers
do not merge must not share a plan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from hassium import debug

Program = Callable[[Any, Any], Any]

pytestmark = pytest.mark.usefixtures("cold_cache")

PARTITIONERS = ["linear", "unintrusive", "greedy", "optimal", "auto"]
H, W = 12, 10  # the arrays have H x W x 3 elements


def flat(np: Any, x: Any) -> Any:
    y = x * 2
    z = y.reshape(-1) + 1
    return y, z, z.reshape(H, 3 * W) - 3, z.reshape(H * W, 3) * 2


def pixels(np: Any, x: Any) -> Any:
    """Colours by a broadcast operand: axes of three that merge with nothing."""
    y = x * np.asarray([1, 2, 3], x.dtype)
    z = y.reshape(H, 3 * W) + 1
    return y, z, z.reshape(-1) * z.ravel()


def part_of_rows(np: Any, x: Any) -> Any:
    """Rows do not follow each other: (H, W', 3) and (H, 3 W') merge, a flat copy does not."""
    y = x[:, : W - 2]
    y += 1
    z = y * 2
    return x, z, z.reshape(H, -1) - 1, z.reshape(-1) + 1


def reversed_rows(np: Any, x: Any) -> Any:
    y = x[::-1, ::-1, ::-1]
    z = y * 3
    return z, z.reshape(-1)[::-1] - 1, y.reshape(-1) + z.ravel()


def uneven(np: Any, x: Any) -> Any:
    """Neither of these shapes refines the other: contiguous work merges, the rest is apart."""
    y = x * 2
    a, b = y.reshape(H * W // 4, 12), y.reshape(H * W // 6, 18)
    return a + 1, b - 1, a[:, ::-1] * 2, b[:, ::-1] * 3, y


def in_place(np: Any, x: Any) -> Any:
    v = x.reshape(-1)
    v += 1
    x *= 2
    v[...] = v - x.reshape(-1)[::-1]
    w = x.reshape(H, 3 * W)
    w -= w[0]
    return x, v + w.reshape(-1)


def reductions(np: Any, x: Any) -> Any:
    y = x.reshape(-1) * 2
    rows = y.reshape(H, 3 * W)
    s = rows.sum(axis=1)
    return y, s, s * 2, y.max(), rows.min(axis=0), y.reshape(H, W, 3).sum(axis=(0, 1))


def softmax(np: Any, x: Any) -> Any:
    rows = x.reshape(H, 3 * W)
    e = np.exp((rows - rows.max(axis=1, keepdims=True)).ravel() * 0.5).reshape(H, 3 * W)
    return e / e.sum(axis=1, keepdims=True) + x.reshape(H, -1)


def reshaped_result(np: Any, x: Any) -> Any:
    """A result of rows, looked at in another shape."""
    s = (x * 2).sum(axis=2)
    return s.reshape(-1) + 1, s * 2, x - s.reshape(H * W)[0]


def temporaries(np: Any, x: Any) -> Any:
    """Arrays that live and die in the block, written in one shape and read in another."""
    return (((x + 1).reshape(-1) * 2).reshape(H, 3 * W) - 3).reshape(H * W, 3) * 0.5


PROGRAMS = [
    flat,
    pixels,
    part_of_rows,
    reversed_rows,
    uneven,
    in_place,
    reductions,
    softmax,
    reshaped_result,
    temporaries,
]


def contiguous(values: Any) -> Any:
    return values


def padded(values: Any) -> Any:
    whole = numpy.zeros((H, W + 2, 3), values.dtype)
    whole[:, 1:-1] = values
    return whole


def turned(values: Any) -> Any:
    return numpy.ascontiguousarray(values.T)


# How the array lies in memory, and the view of it that programs see.
LAYOUTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "contiguous": (contiguous, lambda base: base),
    "padded": (padded, lambda base: base[:, 1:-1]),
    "backwards": (
        lambda v: numpy.ascontiguousarray(v[::-1, ::-1, ::-1]),
        lambda b: b[::-1, ::-1, ::-1],
    ),
    "turned": (turned, lambda base: base.T),
}


def run(np: Any, program: Program, dtype: str, layout: str) -> list[Any]:
    values = (numpy.arange(H * W * 3) * 7 % 11).astype(dtype).reshape(H, W, 3)
    make, look = LAYOUTS[layout]
    base = np.array(make(values))
    if np is hassium:
        np.flush()
    found = program(np, look(base))
    return [numpy.array(v) for v in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_bits_do_not_depend_on_blocks(program: Program, layout: str) -> None:
    for dtype in ("float64", "float32", "int64", "complex128", "int8"):
        if program is softmax and dtype != "float64" and dtype != "float32":
            continue
        expected = run(numpy, program, dtype, layout)
        with hassium.config(eager_elements=0, partitioner="singleton"):
            apart = run(hassium, program, dtype, layout)
        for partitioner in PARTITIONERS:
            with hassium.config(eager_elements=0, partitioner=partitioner, verify=True):
                found = run(hassium, program, dtype, layout)
            for want, single, got in zip(expected, apart, found, strict=True):
                assert want.dtype == got.dtype
                assert numpy.array_equal(single, got), (dtype, partitioner)
                assert numpy.allclose(want, got, rtol=1e-6, atol=0), (dtype, partitioner)


def blocks(program: Program, layout: str) -> int:
    with hassium.config(eager_elements=0, partitioner="optimal", search_milliseconds=1000):
        with debug.captured() as flushes:
            kept = run(hassium, program, "float64", layout)
        assert kept
    return sum(len(flush["blocks"]) for flush in flushes)


@pytest.mark.parametrize(
    ("program", "layout", "count"),
    [
        (flat, "contiguous", 1),
        (pixels, "contiguous", 1),
        (temporaries, "contiguous", 1),
        (temporaries, "padded", 1),
        (softmax, "contiguous", 1),
    ],
)
def test_shapes_that_merge_share_a_block(program: Program, layout: str, count: int) -> None:
    assert blocks(program, layout) == count


def test_shapes_that_do_not_merge_stay_apart() -> None:
    assert blocks(uneven, "contiguous") > 1


def looks(np: Any, rows: int, wide: int, used: int) -> Any:
    """Equal symbols and strides in every flush: whether rows follow each other is a number."""
    a = np.array((numpy.arange(rows * wide * 3) % 13).astype("f8").reshape(rows, wide, 3))
    b = np.array((numpy.arange(rows * used * 3) % 7).astype("f8"))
    c = np.array(numpy.zeros(rows * used * 3))
    if np is hassium:
        np.flush()
    view = a[:, :used]
    view *= 2
    np.add(b, 1, out=c)
    b += c
    np.subtract(view, b.reshape(rows, used, 3), out=view)
    return [numpy.array(v) for v in (a, b, c)]


@pytest.mark.parametrize("partitioner", ["linear", "optimal"])
def test_what_merges_in_one_geometry_only_is_not_shared(partitioner: str) -> None:
    """The same structure; with a margin the view is three axes, without it one."""
    sizes = [(8, 9, 9), (8, 9, 7), (6, 11, 11), (6, 11, 5), (10, 7, 7), (9, 5, 4)]
    with hassium.config(eager_elements=0, partitioner=partitioner, verify=True):
        for _ in range(2):
            for size in sizes:
                expected, found = looks(numpy, *size), looks(hassium, *size)
                for want, got in zip(expected, found, strict=True):
                    assert numpy.array_equal(want, got), size


def squares(np: Any, n: int, m: int, k: int, j: int) -> Any:
    """Two shapes of n * m = k * j elements, each with a broadcast row."""
    a = np.array(numpy.arange(n * m) % 9.0)
    rows, columns = np.array(numpy.arange(m) % 3.0), np.array(numpy.arange(j) % 4.0)
    if np is hassium:
        np.flush()
    x = a.reshape(n, m) + rows
    y = x.reshape(k, j) * columns
    return [numpy.array(v) for v in (x, y)]


def test_common_axes_are_asked_again() -> None:
    """Rows of 12 and of 6 have common axes, rows of 12 and of 18 have none; 5 x 4 and 4 x 5 have as
    many elements by accident only."""
    sizes = [(6, 12, 12, 6), (3, 12, 2, 18), (6, 8, 12, 4), (3, 24, 4, 18), (4, 5, 5, 4)]
    with hassium.config(eager_elements=0, verify=True):
        for _ in range(2):
            for size in sizes:
                expected, found = squares(numpy, *size), squares(hassium, *size)
                for want, got in zip(expected, found, strict=True):
                    assert numpy.array_equal(want, got), size


def test_a_family_of_merged_blocks_hits() -> None:
    with hassium.config(eager_elements=0, verify=True):
        for n in (20, 24, 31, 47):
            hassium.reset_stats()
            expected, found = squares(numpy, n, 8, 2 * n, 4), squares(hassium, n, 8, 2 * n, 4)
            assert all(numpy.array_equal(w, g) for w, g in zip(expected, found, strict=True))
            if n > 20:
                assert hassium.cache_info().symbolic_hits > 0
