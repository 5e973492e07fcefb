"""Random programs: hassium equals NumPy, and itself however the program is cut."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import hassium
from property import programs

NUMBER = st.integers(0, 59)
CHOICES = st.lists(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER), min_size=3, max_size=25)
COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "derandomize": True,
}

ENGINES: list[dict[str, Any]] = [
    {"partitioner": "singleton"},
    {"partitioner": "linear"},
    {"partitioner": "greedy"},
    {"partitioner": "greedy", "threads": 2},
    {"executor": "reference"},
    {"lazy": False},
    {"cache": False},
]


def script(lines: list[str]) -> str:
    return "import numpy, hassium as np\nflush = np.flush\n" + "\n".join(lines)


@pytest.mark.parametrize(
    "engine", ENGINES, ids=lambda e: "-".join(f"{k}={v}" for k, v in e.items())
)
@settings(max_examples=300, **COMMON)
@given(choices=CHOICES)
def test_programs_equal_numpy(engine: dict[str, Any], choices: list[programs.Choice]) -> None:
    lines = programs.write(choices)
    note(script(lines))
    expected = programs.run(lines, numpy, lambda: None)
    with hassium.config(direct_elements=0, verify=True, **engine):
        found = programs.run(lines, hassium, hassium.flush)
    programs.compare(expected, found, exact=False)


@settings(max_examples=300, **COMMON)
@given(choices=CHOICES, seed=st.integers(0, 1000))
def test_same_bits_however_it_is_flushed(choices: list[programs.Choice], seed: int) -> None:
    lines = programs.write(choices)
    note(script(lines))
    with hassium.config(direct_elements=0):
        whole = programs.run([line for line in lines if line != "flush()"], hassium, hassium.flush)
        each = programs.run(
            [part for line in lines for part in (line, "flush()")], hassium, hassium.flush
        )
        dice = random.Random(seed)
        cut = [part for line in lines for part in (line, *["flush()"] * (dice.random() < 0.3))]
        somewhere = programs.run(cut, hassium, hassium.flush)
    with hassium.config(direct_elements=1000):
        direct = programs.run(lines, hassium, hassium.flush)
    for other in (each, somewhere, direct):
        programs.compare(whole, other, exact=True)
