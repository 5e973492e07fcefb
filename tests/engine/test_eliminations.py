"""Steps that all read one row of the step before run as one sweep, behind its first rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from hassium import debug

Program = Callable[[Any, Any, int], list[Any]]


def lu(np: Any, start: Any, steps: int) -> list[Any]:
    """Both factors, apart."""
    upper = np.array(start)
    lower = np.identity(upper.shape[0])
    for k in range(steps):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k : k + 1]
        upper[k + 1 :, k:] -= lower[k + 1 :, k][:, None] * upper[k, k:]
        upper[k + 1 :, k] = 0.0
    return [lower, upper]


def gauss(np: Any, start: Any, steps: int) -> list[Any]:
    """The quotients are a temporary vector."""
    a = np.array(start)
    for k in range(steps):
        a[k + 1 :, k:] -= (a[k + 1 :, k] / a[k, k : k + 1])[:, None] * a[k, k:]
    return [a]


def in_place(np: Any, start: Any, steps: int) -> list[Any]:
    """Quotients take the place of the column."""
    a = np.array(start)
    for k in range(steps):
        a[k + 1 :, k] /= a[k, k : k + 1]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return [a]


def jordan(np: Any, start: Any, steps: int) -> list[Any]:
    """Rows above are eliminated as well, so each step writes what the one before has read."""
    a = np.array(start)
    for k in range(steps):
        a[k] /= a[k, k : k + 1]
        a[k + 1 :] -= a[k + 1 :, k, None] * a[k]
        a[:k] -= a[:k, k, None] * a[k]
    return [a]


def far_row(np: Any, start: Any, steps: int) -> list[Any]:
    """Reads the row that is some rows below those of the steps before."""
    a = np.array(start)
    for k in range(steps):
        a[3 * k + 4 :] = a[3 * k + 4 :] * 0.5 + a[3 * k + 3]
    return [a]


def last_row(np: Any, start: Any, steps: int) -> list[Any]:
    """Reads what the step before makes at its very end."""
    a = np.array(start)
    for k in range(steps):
        a[:-1] = a[:-1] * 0.5 + a[-1] * (0.25 + k)
        a[-1] = a[-1] * 0.75
    return [a]


def own_row(np: Any, start: Any, steps: int) -> list[Any]:
    """Writes over a row that the step before has read."""
    a = np.array(start)
    for _ in range(steps):
        a[1:] = a[1:] * 0.5 + a[0]
        a[:-1] = a[:-1] + a[-1] * 0.125
    return [a]


def with_columns(np: Any, start: Any, steps: int) -> list[Any]:
    """Columns that ride along read their neighbours' rows."""
    a = np.array(start)
    for k in range(steps):
        a[1:] = a[1:] * 0.5 + a[0]
        a[2:, k] = a[1:-1, k + 1]
        a[:, 0] = k
    return [a]


PROGRAMS: dict[str, Program] = {
    "lu": lu,
    "gauss": gauss,
    "in_place": in_place,
    "jordan": jordan,
    "far_row": far_row,
    "last_row": last_row,
    "own_row": own_row,
    "with_columns": with_columns,
}
SWEPT = ("lu", "gauss", "in_place", "far_row")


def matrix(rows: int, columns: int) -> Any:
    generator = numpy.random.default_rng(rows + columns)
    a = generator.random((rows, columns)) + 1.0
    a[:, : min(rows, columns)] += rows * numpy.identity(rows)[:, : min(rows, columns)]
    return a


def bits(program: Program, np: Any, start: Any, steps: int) -> list[bytes]:
    return [numpy.asarray(a).tobytes() for a in program(np, start, steps)]


def ran(program: Program, start: Any, steps: int, **config: Any) -> tuple[list[bytes], int]:
    """Results, and how many sweeps there were."""
    with hassium.config(parallelize="on", **config):
        hassium.reset_stats()
        found = bits(program, hassium, start, steps)
        return found, int(hassium.stats()["sweeps"])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(520, 520), (300, 901)])
def test_bits_are_numpys(name: str, shape: tuple[int, int]) -> None:
    start = matrix(*shape)
    wanted = bits(PROGRAMS[name], numpy, start, 12)
    for threads in (1, 2, 3, 7):
        for sweep in ("auto", "off"):
            found, sweeps = ran(PROGRAMS[name], start, 12, threads=threads, sweep=sweep)
            assert found == wanted, (threads, sweep)
            assert sweep == "auto" or sweeps == 0


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [2, 3, 5, 9, 24, 67])
def test_small_ones_too(name: str, size: int) -> None:
    start = matrix(size, size)
    steps = min(size // 4 if name == "far_row" else size - 2, 40)
    wanted = bits(PROGRAMS[name], numpy, start, steps)
    for threads in (1, 3):
        found, _ = ran(PROGRAMS[name], start, steps, threads=threads, sweep="on")
        assert found == wanted


@pytest.mark.parametrize("name", SWEPT)
def test_such_programs_are_swept(name: str) -> None:
    for threads in (1, 2):
        _, sweeps = ran(PROGRAMS[name], matrix(520, 520), 12, threads=threads)
        assert sweeps > 0


def test_a_sweep_has_a_head() -> None:
    """So many rows as its later steps read."""
    start = hassium.array(matrix(520, 520))
    with debug.capture() as flushes:
        gauss(hassium, start, 6)
        hassium.flush()
    plan = "".join(flush.plan for flush in flushes)
    assert "sweeps 11 nests" in plan
    assert ", head 5\n" in plan
    assert "rows of 1 elements" in plan


def test_a_matrix_that_is_one_row_smaller_finds_its_plan() -> None:
    """Numbers change from step to step, plans do not."""
    start = matrix(530, 520)
    with hassium.config(parallelize="on", threads=2, verify=True):
        for rows in (530, 529, 528):
            for _ in range(2):
                found = bits(gauss, hassium, start[:rows], 9)
                assert found == bits(gauss, numpy, start[:rows], 9)


def test_warnings_come_as_from_steps_apart() -> None:
    start = matrix(520, 520)
    start[3] = 0.0

    def told(np: Any, sweep: str) -> set[str]:
        with hassium.config(sweep=sweep), pytest.warns(RuntimeWarning) as warnings:
            bits(gauss, np, start, 8)
        return {str(w.message) for w in warnings}

    def kinds(messages: set[str]) -> set[str]:
        return {message.split(" encountered")[0] for message in messages}

    together, apart = told(hassium, "auto"), told(hassium, "off")
    assert together == apart
    assert kinds(together) == kinds(told(numpy, "off"))
