"""The merge cache: what it holds and how often it was asked."""

from __future__ import annotations

from typing import NamedTuple

from hassium import _core


class CacheInfo(NamedTuple):
    """Counts since the last ``reset_stats()``, and what the cache holds now."""

    hits: int  # flushes whose partition was found
    misses: int
    symbolic_hits: int  # of the hits, those found for other numbers
    entries: int  # whole flushes, found by exact geometry
    families: int  # partitions and plans, found by symbolic form


def cache_info() -> CacheInfo:
    """State of the merge cache (``docs/settings.md``: ``cache``, ``cache_symbolic``)."""
    return CacheInfo(**_core.cache_info())


def cache_clear() -> None:
    """Forgets all partitions and plans. Arrays and pending operations are not touched."""
    _core.cache_clear()
