"""Takes from vectors share loops with maps over their results (rule 12 of fuse/legal/legal.hpp)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium as np

N = 3000
INDEX = numpy.random.default_rng(1).integers(0, N, N)
SETTINGS: list[dict[str, Any]] = [
    {"verify": True},
    {"threads": 2},
    {"executor": "reference"},
    {"sweep": "on", "forward_copies": "on", "rematerialize": "on", "verify": True},
]


@pytest.fixture(autouse=True)
def recorded() -> Iterator[None]:
    with np.config(eager_elements=0):
        np.flush()
        yield


def blocks_of(code: Callable[[], Any]) -> int:
    np.flush()
    np.reset_stats()
    code()
    np.flush()
    return int(np.stats()["blocks"])


def test_a_take_and_what_uses_it_are_one_block() -> None:
    x, w, i = np.arange(float(N)), np.ones(N), np.array(INDEX)
    assert blocks_of(lambda: float((w * x[i]).sum())) == 1
    assert np.stats()["contracted"] == 2
    assert blocks_of(lambda: numpy.asarray(np.exp(-x[i]) * w + x[i[::-1]] * x)) == 1
    assert blocks_of(lambda: numpy.asarray(np.cumsum(x[i] * 2.0))) == 1


def test_what_writes_the_vector_is_another_block() -> None:
    i = np.array(INDEX)

    def itself() -> Any:
        x = np.arange(float(N))
        np.flush()
        np.reset_stats()
        x[:] = x[i] * 2.0
        return x

    def a_part() -> Any:
        x = np.arange(float(N))
        np.flush()
        np.reset_stats()
        y = x[i] + 1.0
        x[:7] = y[-7:]
        return x

    assert blocks_of(itself) == 2
    assert blocks_of(a_part) >= 2
    assert (numpy.array(itself()) == numpy.arange(float(N))[INDEX] * 2.0).all()
    wanted = numpy.arange(float(N))
    wanted[:7] = wanted[INDEX][-7:] + 1.0
    assert (numpy.array(a_part()) == wanted).all()


def written_first(m: Any, x: Any, i: Any) -> Any:
    x += 1
    y = x[i] * 2
    x -= 3
    return y + x[i]


def into_itself(m: Any, x: Any, i: Any) -> Any:
    x[:] = x[i]
    x[1:] = x[:-1][i[1:] % (N - 1)]
    x += x[::-1][i]
    return x


def rows(m: Any, x: Any, i: Any) -> Any:
    picked = x[i.reshape(60, 50)]
    return picked - picked.mean(axis=1, keepdims=True) * x[i[:50]]


def columns(m: Any, x: Any, i: Any) -> Any:
    return (x[i.reshape(60, 50).T] * 2 + x[: 50 * 60].reshape(50, 60)).sum(axis=0)


def short_rows(m: Any, x: Any, i: Any) -> Any:
    return (x[i.reshape(-1, 3)] - x[i.reshape(-1, 3)[:, :1]]).max(axis=1)


def of_takes(m: Any, x: Any, i: Any) -> Any:
    return x[i][i][i[::-1]] + x[2:][i % (N - 2)]


def running(m: Any, x: Any, i: Any) -> Any:
    return m.cumsum(x[i]) * x + m.cumsum(x[i.reshape(30, 100)], axis=1).reshape(-1)


def chosen(m: Any, x: Any, i: Any) -> Any:
    return m.where(x[i] > x, x[i], -(x * 1))


def one_element(m: Any, x: Any, i: Any) -> Any:
    return x[i[:1]] * x + x[:1][i * 0] + x[i[:0]].sum()


def into_parts(m: Any, x: Any, i: Any) -> Any:
    out = m.zeros((N, 2), x.dtype)
    out[:, 0] = x[i]
    out[::-1, 1] = x[i] + out[:, 0]
    return out


PROGRAMS = [
    written_first,
    into_itself,
    rows,
    columns,
    short_rows,
    of_takes,
    running,
    chosen,
    one_element,
    into_parts,
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "c16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results(program: Callable[..., Any], dtype: str, settings: dict[str, Any]) -> None:
    """Whole numbers, whose sums are exact in any order."""
    if dtype == "c16" and program in (chosen, short_rows):
        pytest.skip("complex numbers have no order that all agree on")
    values = (numpy.arange(N) % 13).astype(dtype)
    wanted = program(numpy, values.copy(), INDEX)
    with np.config(**settings):
        found = numpy.array(program(np, np.array(values), np.array(INDEX)))
    assert found.dtype == wanted.dtype
    numpy.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == "f4" else 1e-12)


def test_other_numbers_find_the_plan() -> None:
    np.cache_clear()
    with np.config(verify=True):
        for n in (900, 1000, 1100, 1200):
            index = INDEX[:n] % n
            x, i = np.arange(float(n)), np.array(index)
            np.flush()
            np.reset_stats()
            found = float((x * x[i]).sum())
            assert found == float((numpy.arange(float(n)) * index).sum())
        assert np.stats()["cache_symbolic_hits"] == 1


@pytest.mark.parametrize(("dtype", "rows"), [("uint8", 256), ("uint8", 300), ("uint16", 70_000)])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_positions_that_cannot_be_out_of_bounds(
    dtype: str, rows: int, columns: tuple[int, ...]
) -> None:
    """Nobody looks at them, so they may wait: as the values of an image in a table of colours."""
    table = numpy.random.default_rng(3).random((rows, *columns))
    image = (numpy.arange(1200).reshape(30, 40) % min(rows, 40_000)).astype(dtype)
    ours, of_ours = np.array(image), np.array(table)
    np.flush()
    np.reset_stats()
    pending = ours // 2
    found = of_ours[pending] * 2.0
    assert np.stats()["flushes"] == 0
    assert (numpy.array(found) == table[image // 2] * 2.0).all()
    assert found.strides == (table[image // 2] * 2.0).strides
    for look in (lambda t, i: t[i.T], lambda t, i: t[::-1][i], lambda t, i: t[i[:, ::2], ...]):
        assert (numpy.array(look(of_ours, ours)) == look(table, image)).all()


@pytest.mark.parametrize("rows", [1, 255])
def test_positions_that_can_be_out_of_bounds_are_looked_at(rows: int) -> None:
    table, image = np.zeros(rows), np.array([0, 255], "uint8")
    with pytest.raises(IndexError, match="index 255 is out of bounds"):
        table[image]


def test_positions_of_several_arrays_are_computed_in_the_block() -> None:
    rows, columns = INDEX % 60, (INDEX * 7) % 50 - 50
    grid = numpy.arange(3000.0).reshape(60, 50)
    y, x, g, w = np.array(rows), np.array(columns), np.array(grid), np.ones(N)
    assert blocks_of(lambda: numpy.asarray(g[y, x] * w)) == 1
    assert (numpy.array(g[y, x] + w) == grid[rows, columns] + 1).all()


@pytest.mark.parametrize("least", [0, -7])
@pytest.mark.parametrize(
    "shapes",
    [((N,), (N,)), ((60, 1), (50,)), ((60, 50), (1, 50)), ((1,), (N,)), ((20, 1), (20, 70))],
)
def test_several_arrays(shapes: tuple[tuple[int, ...], ...], least: int) -> None:
    draw = numpy.random.default_rng(5)
    cube = numpy.arange(7 * 7 * 4).reshape(7, 7, 4)
    i, j = (draw.integers(least, 7, shape) for shape in shapes)
    wanted = cube.copy()
    wanted[i, j, 1] += wanted[j, i, 2]
    with np.config(verify=True):
        ours, oi, oj = np.array(cube), np.array(i), np.array(j)
        assert (numpy.array(ours[oi, oj]) == cube[i, j]).all()
        assert (numpy.array(ours[oi, :, oj % 4]) == cube[i, :, j % 4]).all()
        ours[oi, oj, 1] += ours[oj, oi, 2]
        assert (numpy.array(ours) == wanted).all()
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1 with size 7"):
            ours[oi, oj * 0 + 7]
