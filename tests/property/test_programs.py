"""Random programs: hassium equals NumPy, and itself however the program is cut.

How many programs each configuration gets is the environment variable PROPERTY_PROGRAMS (100); other
programs than those of every run come with PROPERTY_SEED. Programs on large arrays are a quarter as
many.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

import hassium
from property import programs, running
from simd_levels import LEVELS

COUNT = int(os.environ.get("PROPERTY_PROGRAMS", "100"))
SEED = os.environ.get("PROPERTY_SEED")
NUMBER = st.integers(0, 59)
CHOICES = st.lists(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER), min_size=3, max_size=25)
COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "derandomize": SEED is None,
    "max_examples": COUNT,
}
pytestmark = pytest.mark.timeout(300 + COUNT)  # seconds

Engine = dict[str, Any]
PASSES = (
    "pull_gathers",
    "pull_views",
    "split_reductions",
    "infer_bounds",
    "rematerialize",
    "forward_copies",
    "coalesce_copies",
    "peel_loops",
    "reroll",
)
# Nothing runs at the call because it is small, and `asarray` shares what NumPy's shares.
BASE: Engine = {"eager_elements": 0, "asarray_shares": True}


def allowed(setting: str) -> list[str]:
    """The words that a setting takes, from the table of settings."""
    (row,) = (row for row in hassium.config.table() if row["name"] == setting)
    return row["allowed"].split()


# Each setting by itself over its whole range, and the pairs that meet in the engine: fusion with
# threads, and the cache with the length of the queue.
ENGINES: list[Engine] = [
    *({"partitioner": word} for word in allowed("partitioner")),
    *({"cost_model": word} for word in allowed("cost_model")),
    *({"executor": word} for word in allowed("executor")),
    *({"simd": word} for word in LEVELS),
    *({"newton_division": word} for word in ("off", "on")),
    *(
        {"threads": n, "parallelize": "on", "partitioner": p}
        for n in (1, 2)
        for p in ("greedy", "linear")
    ),
    {"lazy": False},
    {"cache": False},
    {"cache_symbolic": False},
    {"cache_entries": 1},
    {"queue_instructions": 1},
    {"queue_instructions": 7},
    {"queue_instructions": 1, "background_flush": "on"},
    {"queue_instructions": 16, "background_flush": "on", "threads": 2, "parallelize": "on"},
    {"queue_instructions": 7, "background_flush": "on", "cache": False},
    {"lazy_scalars": "on"},
    {"lazy_scalars": "on", "queue_instructions": 7, "background_flush": "on", "eager_elements": 1},
    {"pending_bytes": 0},
    {"eager_elements": 1000},
    {"cache": False, "threads": 2, "parallelize": "on", "partitioner": "singleton"},
    *({"sweep": word} for word in ("off", "on")),
    {"sweep": "on", "threads": 3, "parallelize": "on"},
    *(dict.fromkeys(PASSES, word) for word in ("off", "on")),
    {"split_reductions": "on", "partitioner": "singleton", "eager_elements": 0},
    {"infer_bounds": "on", "pull_gathers": "on", "threads": 2, "parallelize": "on"},
    {"forward_copies": "on", "sweep": "on", "threads": 2, "parallelize": "on"},
    {
        "forward_copies": "on",
        "rematerialize": "on",
        "split_reductions": "on",
        "queue_instructions": 7,
        "partitioner": "linear",
    },
]


def title(engine: Engine) -> str:
    return "-".join(f"{key}={value}" for key, value in engine.items())


def seeded(test: Callable[..., None]) -> Callable[..., None]:
    return seed(int(SEED))(test) if SEED is not None else test


def test_every_partitioner_and_executor_is_among_the_engines() -> None:
    assert {"singleton", "linear", "greedy"} <= set(allowed("partitioner"))
    assert {"tile", "reference"} <= set(allowed("executor"))
    assert LEVELS


@pytest.mark.parametrize("engine", ENGINES, ids=title)
@seeded
@settings(**COMMON)
@given(choices=CHOICES)
def test_programs_equal_numpy(engine: Engine, choices: list[programs.Choice]) -> None:
    lines = programs.write(choices)
    chosen = BASE | {"verify": True} | engine
    note(running.script(lines, chosen))
    expected = running.run(lines, numpy, lambda: None)
    with hassium.config(**chosen):
        found = running.run(lines, hassium, hassium.flush)
    running.compare(expected, found, exact=False)


@seeded
@settings(**COMMON)
@given(choices=CHOICES, dice=st.integers(0, 1000))
def test_same_bits_however_it_is_flushed(choices: list[programs.Choice], dice: int) -> None:
    lines = programs.write(choices)
    note(running.script(lines, BASE))
    with hassium.config(**BASE):
        whole = running.run([line for line in lines if line != "flush()"], hassium, hassium.flush)
        each = running.run(
            [part for line in lines for part in (line, "flush()")], hassium, hassium.flush
        )
        chance = random.Random(dice)
        cut = [part for line in lines for part in (line, *["flush()"] * (chance.random() < 0.3))]
        somewhere = running.run(cut, hassium, hassium.flush)
    with hassium.config(**BASE | {"eager_elements": 1000}):
        direct = running.run(lines, hassium, hassium.flush)
    for other in (each, somewhere, direct):
        running.compare(whole, other, exact=True)


@pytest.mark.parametrize("engine", ENGINES, ids=title)
@seeded
@settings(**COMMON | {"max_examples": max(COUNT // 4, 1)})
@given(choices=CHOICES)
def test_same_bits_under_every_engine(engine: Engine, choices: list[programs.Choice]) -> None:
    """What is bit-equal by promise: all but the reference executor's own math functions."""
    lines = programs.write(choices)
    note(running.script(lines, BASE | engine))
    with hassium.config(**BASE | {"partitioner": "singleton", "threads": 1}):
        expected = running.run(lines, hassium, hassium.flush)
    with hassium.config(**BASE | engine):
        found = running.run(lines, hassium, hassium.flush)
    running.compare(expected, found, exact=True)


@seeded
@settings(**COMMON | {"max_examples": max(COUNT // 4, 1)})
@given(choices=CHOICES)
def test_same_bits_on_any_number_of_threads(choices: list[programs.Choice]) -> None:
    """On arrays that are cut for threads; NumPy sums them in another order."""
    lines = programs.write(choices, programs.LARGE)
    shared = {"asarray_shares": True, "parallelize": "on"}
    note(running.script(lines, shared | {"threads": 3}))
    found = []
    for threads in (1, 2, 3, 7):
        with hassium.config(**shared | {"threads": threads}):
            found.append(running.run(lines, hassium, hassium.flush))
    for other in found[1:]:
        running.compare(found[0], other, exact=True)


def test_the_script_of_a_failure_runs_by_itself() -> None:
    """And says what differs: here a line that only hassium's half of the script runs."""
    lines = ["v1 = np.arange(6.0)", "raises('IndexError', 'v1[9]')", "v1 += 1", "flush()"]
    right = running.script(lines, {"threads": 1, "executor": "reference"})
    wrong = right.replace("v1 += 1", "v1 += 1 + (np is not numpy)")
    assert wrong != right
    for text, code, said in [(right, 0, ""), (wrong, 1, "v1 differs")]:
        done = subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == code, done.stderr
        assert said in done.stderr
