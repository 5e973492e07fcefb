"""Random programs on memory seen through many views equal NumPy's bits at any size and offset.

As many as PROPERTY_PROGRAMS (100) says, others than those of every run with PROPERTY_SEED; loops,
which are long, are a quarter as many.
"""

from __future__ import annotations

import os
from typing import Any

import numpy
import pytest

import hassium
from property import running, windows

COUNT = int(os.environ.get("PROPERTY_PROGRAMS", "100"))
SEED = int(os.environ.get("PROPERTY_SEED", "0"))
ENGINES: list[dict[str, Any]] = [
    {"eager_elements": 0},
    {"eager_elements": 0, "sweep": "on", "forward_copies": "on", "rematerialize": "on"},
    {"threads": 3, "parallelize": "on", "sweep": "on"},
    {"queue_instructions": 3, "background_flush": "on", "lazy_scalars": "on"},
]
pytestmark = pytest.mark.timeout(300 + COUNT)  # seconds


@pytest.mark.parametrize("kind", windows.KINDS)
@pytest.mark.parametrize("part", range(len(ENGINES)))
def test_programs_equal_numpy_at_any_numbers(kind: str, part: int) -> None:
    """The same program several times under one engine, so that plans are bound to other numbers."""
    engine, first = ENGINES[part], SEED * 1_000_000 + part * COUNT
    for seed in range(first, first + COUNT, 4 if kind == "turns" else 1):
        for lines in windows.write(kind, seed, 4):
            expected = running.run(lines, numpy, lambda: None)
            with hassium.config(**engine):
                found = running.run(lines, hassium, hassium.flush)
            try:
                running.compare(expected, found, exact=True)
            except AssertionError as error:
                raise AssertionError(running.script(lines, engine)) from error
