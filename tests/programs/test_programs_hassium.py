"""The benchmark programs under hassium agree with NumPy, and run natively."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from benchmarks.scripts import FOLDER, NAMES, load

import hassium

QUEUE = 64
RTOL = {"float64": 1e-12, "float32": 1e-5}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_agrees_with_numpy_and_is_native(name: str, dtype: str) -> None:
    program = load(name)
    size = program.SIZES["small"]
    expected = program.run(np, size, dtype)
    hassium.reset_stats()
    lazy = program.run(hassium, size, dtype)
    result = np.asarray(lazy)
    assert not hassium.stats()["fallbacks"]
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    program.check(np, result, size)
    if program.EXACT:
        assert result.tobytes() == expected.tobytes()
    else:
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(result, expected, RTOL[dtype], RTOL[dtype] * scale)


@pytest.mark.parametrize("partitioner", ["singleton", "linear"])
@pytest.mark.parametrize("name", NAMES)
def test_every_way_of_cutting_gives_the_same_bits(name: str, partitioner: str) -> None:
    program = load(name)
    size = program.SIZES["small"]
    expected = np.asarray(program.run(hassium, size, "float64"))
    with hassium.config(partitioner=partitioner):
        result = np.asarray(program.run(hassium, size, "float64"))
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_steady_flushes_are_found_in_the_cache(name: str) -> None:
    """A second run of the same program meets the first one's plans."""
    program = load(name)
    size = program.SIZES["small"]
    with hassium.config(
        background_flush="off", eager_elements=0
    ):  # where clocks decide how long the flushes are
        for _ in range(2):
            np.asarray(program.run(hassium, size, "float64"))
        hassium.reset_stats()
        np.asarray(program.run(hassium, size, "float64"))
        found = hassium.stats()
    hits, misses = found["cache_hits"], found["cache_misses"]
    assert hits > 0, "nothing was flushed"
    assert hits >= 0.95 * (hits + misses), f"{hits} hits, {misses} misses"


@pytest.mark.parametrize("name", NAMES)
def test_flushes_of_later_iterations_are_found_in_the_cache(name: str) -> None:
    """From an empty cache: of the flushes that more steps bring, nineteen in twenty are hits.

    A short queue makes flushes of programs that never read. With it the fewer steps already meet
    the set-up, the loop as it begins, the loop as it goes on, and the tail.
    """
    program = load(name)
    *extents, steps = program.SIZES["small"]
    if steps == 1:  # elimination: a step is a column
        few, many = (72, 1), (472, 1)
    else:
        few, many = (*extents, 42), (*extents, 242)
    found = {}
    for size in (few, many):
        with hassium.config(queue_instructions=QUEUE, eager_elements=0):
            hassium.cache_clear()
            hassium.reset_stats()
            np.asarray(program.run(hassium, size, "float64"))
            stats = hassium.stats()
        found[size] = stats["cache_hits"], stats["cache_misses"]
    later_hits, later_misses = (b - a for a, b in zip(found[few], found[many], strict=True))
    assert later_hits + later_misses > 20, f"too few flushes to tell: {found}"
    assert later_hits >= 0.95 * (later_hits + later_misses), found


def test_the_runner_prints_both_libraries_side_by_side() -> None:
    script = str(FOLDER / "heat_equation.py")
    command = [sys.executable, "-m", "hassium", script, "--size", "60", "--steps", "10"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "heat_equation 60*60*10 float64"
    mine, theirs, verdict = (line.split() for line in lines[1:4])
    assert (mine[0], theirs[0]) == ("hassium", "NumPy")
    assert mine[mine.index("crc32") + 1] == theirs[theirs.index("crc32") + 1]
    assert verdict[-3:] == ["the", "same", "bits"]
    assert any(line.split()[:1] == ["flushes"] for line in lines[4:])
    assert lines[-1] == "check    passed"
