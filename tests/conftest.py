"""What tests count does not depend on the tests that ran before them in the process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import hassium
from simd_levels import LEVELS


def pytest_configure() -> None:
    """Programs that are planned anew again and again, as in tests, would keep later ones from
    recording."""
    hassium.config(recording_backoff="off")


@pytest.fixture(params=LEVELS)
def simd_level(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set in turn; nothing runs at the call."""
    with hassium.config(simd=request.param, eager_elements=0):
        yield request.param


@pytest.fixture
def cold_cache() -> Iterator[None]:
    """An empty merge cache, counters at zero, every product verified; nothing runs at the call."""
    hassium.flush()
    hassium.cache_clear()
    with hassium.config(eager_elements=0, verify=True):
        hassium.reset_stats()
        yield
        hassium.flush()
    hassium.cache_clear()
