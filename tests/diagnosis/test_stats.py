"""`hassium.stats()`: counters by name, and what people are shown of them."""

from __future__ import annotations

import numpy

import hassium as np
from hassium import _core


def test_all_counters_are_there_by_name() -> None:
    stats = np.stats()
    names = {row["name"] for row in _core.counters_table()}
    assert names < set(stats)
    assert {"seconds", "fallbacks", "eager", "bytes_held", "bytes_kept", "bytes_peak"} < set(stats)
    assert dict(stats) == {name: stats[name] for name in stats}


def test_few_are_shown_and_all_when_asked() -> None:
    table = _core.counters_table()
    few, everything = repr(np.stats()), repr(np.stats(all=True))
    for row in table:
        shown = f"  {row['name']} "
        assert (shown in few) == row["main"]
        assert shown in everything
        assert row["meaning"] in everything
    assert 5 <= sum(row["main"] for row in table) <= 12
    assert "stats(all=True)" in few
    assert "Seconds by stage" in everything


def test_lines_of_fallbacks_are_shown() -> None:
    np.reset_stats()
    shared = np.arange(1000.0)
    kept = numpy.asarray(shared)
    shared += 1.0
    np.trim_zeros(shared)
    text = repr(np.stats())
    assert "Ran as NumPy's own functions\n  trim_zeros  1  " in text
    assert "Ran at once, on memory shared with NumPy\n  add  1  " in text
    assert "test_stats.py:" in text
    assert kept[0] == 1.0


def test_a_notebook_gets_a_table() -> None:
    page = np.stats()._repr_html_()
    assert page.startswith("<table")
    assert "<style" not in page
    assert "bytes_saved" in page
