"""A stencil and the nest that writes over its source run as one sweep: same bits, fewer bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

Step = Callable[[Any, Any], Any]


def interior(reach: int, rank: int) -> tuple[slice, ...]:
    return (slice(reach, -reach),) * rank


def heat(np: Any, u: Any) -> Any:
    old = u[1:-1, 1:-1]
    new = 0.2 * (old + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    moved = np.sum(np.abs(new - old))
    u[1:-1, 1:-1] = new
    return moved


def wide(np: Any, u: Any) -> Any:
    """Three rows back, two ahead; adds to the array instead of copying over it, and the temporary
    has a name when the flush comes."""
    change = (u[:-6, 3:-3] - u[5:-1, 3:-3]) * 0.25 + u[3:-3, :-6] * 0.125
    u[3:-3, 3:-3] += change
    return u[0, 0]


def ahead(np: Any, u: Any) -> Any:
    """Reads no row that comes before."""
    new = 0.5 * (u[1:, 1:] + u[:-1, 1:])
    u[:-1, 1:] = new
    return u[0, 0]


def cast(np: Any, u: Any) -> Any:
    """The temporary has another dtype."""
    new = (u[:-2, 1:-1] + u[2:, 1:-1]) > 0.7
    u[1:-1, 1:-1] = new
    return u[1, 1]


STEPS = {"heat": heat, "wide": wide, "ahead": ahead, "cast": cast}


def run(np: Any, step: Step, start: Any, steps: int = 4) -> tuple[bytes, ...]:
    u = np.array(start)
    moved = [step(np, u) for _ in range(steps)]
    u = numpy.asarray(u)
    return (u.tobytes(), *(numpy.asarray(m).tobytes() for m in moved))


def swept(step: Step, start: Any, threads: int, on: bool = True) -> tuple[tuple[bytes, ...], int]:
    """Results, and how many sweeps there were."""
    with hassium.config(threads=threads, sweep=on):
        hassium.reset_stats()
        found = run(hassium, step, start)
        return found, int(hassium.stats()["sweeps"])


def grid(*shape: int) -> Any:
    return numpy.random.default_rng(sum(shape)).random(shape)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("shape", [(300, 700), (33, 3000), (513, 1029)])
def test_bits_are_those_of_two_sweeps(name: str, shape: tuple[int, int]) -> None:
    start = grid(*shape)
    apart, none = swept(STEPS[name], start, 1, on=False)
    assert none == 0
    for threads in (1, 2, 3, 7):
        together, _ = swept(STEPS[name], start, threads)
        assert together == apart
    if name != "heat":  # its sums have a tree of their own
        assert apart == run(numpy, STEPS[name], start)


@pytest.mark.parametrize("name", ["heat", "wide", "ahead"])
def test_such_programs_are_swept(name: str) -> None:
    _, sweeps = swept(STEPS[name], grid(513, 1029), 2)
    assert sweeps > 0


def test_a_cube() -> None:
    def step(np: Any, u: Any) -> Any:
        new = (u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, 2:, :-2]) * 0.3
        u[1:-1, 1:-1, 1:-1] = new
        return u[1, 1, 1]

    start = grid(70, 60, 90)
    wanted = run(numpy, step, start)
    for threads in (1, 2, 5):
        found, sweeps = swept(step, start, threads)
        assert found == wanted
        assert sweeps > 0


def shifted(np: Any, u: Any, a: int, b: int, far: int) -> Any:
    rows, columns = u.shape
    new = u[far + a : rows - far + a, far + b : columns - far + b] * 0.5
    new = new + u[far - b : rows - far - b, far:-far] * 0.25
    u[far:-far, far:-far] = new
    return u[0, 0]


@pytest.mark.parametrize("a", [-11, -3, -1, 0, 2, 9])
@pytest.mark.parametrize("b", [-9, -2, 0, 1, 4])
def test_any_dependence_distance(a: int, b: int) -> None:
    start = grid(261, 401)
    far = max(abs(a), abs(b), 1)

    def step(np: Any, u: Any) -> Any:
        return shifted(np, u, a, b, far)

    wanted = run(numpy, step, start)
    for threads in (1, 3):
        assert swept(step, start, threads)[0] == wanted


def test_what_may_not_be_swept() -> None:
    def turned(np: Any, u: Any) -> Any:
        new = u.T * 0.5 + u
        u[:] = new
        return u[0, 1]

    def kept(np: Any, u: Any) -> Any:
        new = u[:-1] + u[1:]
        u[1:] = new
        u[:-1] += new * 0.5
        return u[0, 0]

    def upside_down(np: Any, u: Any) -> Any:
        new = u[::-1] * 0.5 + u
        u[:] = new
        return u[1, 1]

    start = grid(400, 400)
    for step in (turned, kept, upside_down):
        wanted = run(numpy, step, start)
        for threads in (1, 2):
            assert swept(step, start, threads)[0] == wanted


def test_warnings_of_a_sweep_are_those_of_its_instructions() -> None:
    def step(np: Any, u: Any) -> Any:
        new = 1.0 / (u[:-2] - u[2:])
        u[1:-1] = new
        return u[1, 1]

    start = grid(300, 500)
    start[3, 4] = start[5, 4]
    for threads in (1, 2):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            swept(step, start, threads)


def test_temporaries_go_back_where_they_are_last_used() -> None:
    start = grid(1000, 1000)
    u = hassium.array(start)
    hassium.flush()
    for on in (0, 1):
        with hassium.config(sweep=on):
            hassium.reset_stats()
            moved = 0.0
            for _ in range(20):
                moved = moved + heat(hassium, u)
            assert float(moved) > 0
            assert hassium.stats()["bytes_peak"] < 6 * start.nbytes
