"""Nests of one axis run as one sweep, by rows that their neighbours have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from hassium import debug
from swept import grid, lengths


def streaming(shape: tuple[int, ...], seed: int, steps: int = 3) -> Callable[[Any], Any]:
    """Planes of one array change as a whole, then each moves its own way into another array."""
    draw = numpy.random.default_rng(seed)
    start = draw.random(shape)
    planes, rows, columns = shape
    ways = draw.integers(-1, 2, (planes, 2)).tolist()

    def program(np: Any) -> Any:
        f, g = np.array(start), np.array(start)
        for _ in range(steps):
            total = f[0]
            for k in range(1, planes):
                total = total + f[k]
            for k in range(planes):
                x, y = ways[k]
                new = f[k] * 0.75 + total * (0.25 / planes)
                g[k, 1:-1, 1:-1] = new[1 - x : rows - 1 - x, 1 - y : columns - 1 - y]
            f, g = g, f
        return f

    return program


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("shape", [(9, 60, 71), (3, 130, 64), (2, 40, 301)])
def test_planes_move_into_another_array(shape: tuple[int, int, int], seed: int) -> None:
    program = streaming(shape, seed)
    wanted = program(numpy).tobytes()
    for threads in (1, 2, 3):
        for sweep in ("off", "auto", "on"):
            with hassium.config(
                eager_elements=0, parallelize="on", threads=threads, sweep=sweep, verify=True
            ):
                assert numpy.asarray(program(hassium)).tobytes() == wanted


@pytest.mark.parametrize("threads", [1, 2])
def test_planes_are_swept(threads: int) -> None:
    program = streaming((9, 290, 300), 0, 2)
    with hassium.config(eager_elements=0, parallelize="on", threads=threads):
        assert max(lengths(lambda: program(hassium))) >= 10
        assert numpy.asarray(program(hassium)).tobytes() == program(numpy).tobytes()


@pytest.mark.parametrize("columns", [500, 503, 1022])
def test_a_copy_is_part_of_the_sweep_that_follows(columns: int) -> None:
    start = grid(800, columns)

    def steps(np: Any) -> Any:
        u = start.copy() if np is numpy else given.copy()
        for _ in range(3):
            u[1:-1, 1:-1:2] = 0.5 * (u[:-2, 1:-1:2] + u[2:, 1:-1:2])
            u[1:-1, 2:-1:2] = 0.5 * (u[:-2, 2:-1:2] + u[2:, 2:-1:2])
        return u

    for threads in (1, 2, 3):
        with hassium.config(eager_elements=0, parallelize="on", threads=threads, reroll="off"):
            given = hassium.array(start)
            hassium.flush()
            with debug.capture() as flushes:
                steps(hassium)
            first = flushes[0].plan.splitlines()
            assert first[0].startswith(f"nest ({800 * columns})")
            assert f"  rows of {columns} elements" in first
            assert numpy.asarray(steps(hassium)).tobytes() == steps(numpy).tobytes()


def test_rows_of_flat_nests_follow_the_numbers() -> None:
    """The plan of one shape is bound to another: its rows are those of the new neighbours."""
    for columns in (300, 301, 450, 300):
        program = streaming((3, 400, columns), columns, 2)
        with hassium.config(eager_elements=0, threads=1, verify=True):
            assert numpy.asarray(program(hassium)).tobytes() == program(numpy).tobytes()
            with debug.capture() as flushes:
                found = program(hassium)
                hassium.flush()
            assert any(f"rows of {columns} elements" in f.plan for f in flushes)
            assert numpy.asarray(found).shape == (3, 400, columns)
