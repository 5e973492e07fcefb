"""Surroundings of tests that several files ask for by name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy
import pytest

import hassium


def runs(level: str) -> bool:
    """Whether build and machine have the level."""
    try:
        with hassium.config(simd=level):
            numpy.asarray(hassium.ones(3) + 1.0)
    except ValueError:
        return False
    return True


LEVELS = [level for level in ("v2", "v3", "v4", "baseline") if runs(level)]


@pytest.fixture(params=LEVELS)
def simd_level(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every instruction set in turn; nothing runs at the call."""
    with hassium.config(simd=request.param, direct_elements=0):
        yield


@pytest.fixture
def cold_cache() -> Iterator[None]:
    """An empty merge cache, counters at zero, every product verified; nothing runs at the call."""
    hassium.flush()
    hassium.cache_clear()
    with hassium.config(direct_elements=0, verify=True):
        hassium.reset_stats()
        yield
        hassium.flush()
    hassium.cache_clear()
