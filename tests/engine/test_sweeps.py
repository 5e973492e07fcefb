"""Nests over the same arrays run as one sweep, some rows apart: same bits, fewer bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from swept import grid, lengths

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


def run(np: Any, step: Step, start: Any, steps: int = 4) -> tuple[Any, ...]:
    u = np.array(start)
    moved = [step(np, u) for _ in range(steps)]
    u = numpy.asarray(u)
    return (u.tobytes(), *(float(m) for m in moved))


def swept(step: Step, start: Any, threads: int, on: bool = True) -> tuple[tuple[Any, ...], int]:
    """Results, and how many sweeps there were."""
    with hassium.config(parallelize="on", threads=threads, sweep="auto" if on else "off"):
        hassium.reset_stats()
        found = run(hassium, step, start)
        return found, int(hassium.stats()["sweeps"])


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
    for sweep in ("off", "auto"):
        with hassium.config(sweep=sweep):
            hassium.reset_stats()
            moved = 0.0
            for _ in range(20):
                moved = moved + heat(hassium, u)
            assert float(moved) > 0
            assert hassium.stats()["bytes_peak"] < 6 * start.nbytes


# --- more than two nests


def test_time_steps_go_by_together() -> None:
    start = grid(700, 900)

    def steps(np: Any) -> Any:
        u = np.array(start)
        for _ in range(6):
            new = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            u[1:-1, 1:-1] = new
        return u

    wanted = steps(numpy)
    for threads in (1, 2, 3, 7):
        with hassium.config(parallelize="on", threads=threads, eager_elements=0):
            assert max(lengths(lambda: steps(hassium))) >= 6
            assert (numpy.asarray(steps(hassium)) == wanted).all()


def test_nests_of_different_heights() -> None:
    """Half steps between the rows and between the columns, then a step on the inside."""
    start = grid(500, 600)

    def step(np: Any, h: Any) -> Any:
        x = 0.5 * (h[1:, 1:-1] + h[:-1, 1:-1]) - 0.1 * h[1:, 1:-1] * h[:-1, 1:-1]
        y = 0.5 * (h[1:-1, 1:] + h[1:-1, :-1]) + 0.1 * h[1:-1, 1:] * h[1:-1, :-1]
        h[1:-1, 1:-1] -= 0.2 * ((x[1:] - x[:-1]) + (y[:, 1:] - y[:, :-1]))
        return h[2, 2]

    wanted = run(numpy, step, start)
    for threads in (1, 2, 3):
        found, sweeps = swept(step, start, threads)
        assert found == wanted
        assert sweeps > 0


@pytest.mark.parametrize("n", [400_000, 70_001])
def test_one_axis_is_swept_by_units(n: int) -> None:
    def step(np: Any, u: Any) -> Any:
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2])
        return u[0]

    start = grid(n)
    wanted = run(numpy, step, start)
    for threads in (1, 2, 3):
        found, sweeps = swept(step, start, threads)
        assert found == wanted
        assert sweeps > 0 or n < 131_072


def test_nests_run_apart_where_a_sweep_would_idle_threads() -> None:
    """Rows of 38 planes make too few bands for thirty threads."""

    def step(np: Any, u: Any) -> Any:
        for _ in range(2):
            new = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, 1:-1, :-2] - u[1:-1, :-2, 1:-1]
            u[1:-1, 1:-1, 1:-1] = 0.25 * new
        return u[7, 8, 9]

    start = grid(40 * 160, 160).reshape(40, 160, 160)
    wanted = run(numpy, step, start)
    for threads, sweeps in ((1, True), (2, True), (30, False)):
        found, count = swept(step, start, threads)
        assert found == wanted
        assert (count > 0) == sweeps


def test_several_nests_of_a_sweep_reduce() -> None:
    def step(np: Any, u: Any) -> Any:
        up = u[2:] * 0.5
        first = up.sum()
        low = np.sqrt(u[:-2]) + up
        second = low.max(axis=1)
        u[1:-1] = low * 0.3
        return first + second.sum()

    start = grid(400, 500)
    apart, _ = swept(step, start, 1, on=False)
    for threads in (1, 2, 3):
        assert swept(step, start, threads)[0] == apart


def test_a_warning_names_the_nest_that_raised_it() -> None:
    start = grid(300, 500)

    def step(np: Any, u: Any) -> Any:
        new = np.log(u[:-2] + u[2:] + 1.0)
        u[1:-1] = new
        u[1:-1] = np.sqrt(u[:-2] - u[2:])
        return u[1, 1]

    for threads in (1, 2):
        with pytest.warns(RuntimeWarning, match="invalid value") as seen:
            _, sweeps = swept(step, start, threads)
        assert sweeps > 0
        assert all("sqrt" in str(w.message) and "log" not in str(w.message) for w in seen)


def test_a_sweep_holds_no_more_memory() -> None:
    """What one nest gives back the next may take."""
    start = grid(1000, 1000)

    def step(np: Any, u: Any) -> Any:
        for _ in range(8):
            u = 0.5 * (u[1:] + u[:-1])
        return u

    peaks = []
    for sweep in ("off", "auto"):
        with hassium.config(sweep=sweep, eager_elements=0):
            u = hassium.array(start)
            hassium.flush()
            hassium.reset_stats()
            found = step(hassium, u)
            hassium.flush()
            peaks.append(hassium.stats()["bytes_peak"])
            assert (numpy.asarray(found) == step(numpy, start)).all()
    assert peaks[1] <= peaks[0] + (1 << 20)


def test_nests_of_a_sweep_read_columns() -> None:
    """Several nests keep rows of what they read down its columns; they take turns."""

    def program(u: Any, b: Any, c: Any) -> Any:
        first = b.T + u
        second = first[1:-1] * 0.5 + c.T[1:-1]
        return second[1:-1] - first[2:-2]

    u, b = grid(700, 1024), grid(1024, 700)
    c = grid(1024, 700).astype(numpy.float32)
    wanted = program(u, b, c).tobytes()
    for threads in (1, 2, 3):
        # Apart, or the first nest would be computed within the others.
        with hassium.config(parallelize="on", threads=threads, sweep="on", partitioner="singleton"):
            arrays = [hassium.array(a) for a in (u, b, c)]
            hassium.flush()
            hassium.reset_stats()
            assert numpy.asarray(program(*arrays)).tobytes() == wanted
            assert hassium.stats()["sweeps"] == 1
