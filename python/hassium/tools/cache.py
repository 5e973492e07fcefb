"""The merge cache: its contents and counters."""

from __future__ import annotations

from typing import NamedTuple

from hassium import _core


class CacheInfo(NamedTuple):
    """Counts since the last ``reset_stats()``, and the current contents of the cache."""

    hits: int  # flushes whose partition was found
    misses: int
    symbolic_hits: int  # of the hits, those bound to new numbers
    entries: int  # whole flushes, found by exact geometry
    families: int  # partitions and plans, found by symbolic form


def cache_info() -> CacheInfo:
    """State of the merge cache (``docs/settings.md``: ``cache``, ``cache_symbolic``)."""
    return CacheInfo(**_core.cache_info())


def cache_clear() -> None:
    """Drops all partitions and plans. Arrays and pending operations are not affected."""
    _core.cache_clear()
