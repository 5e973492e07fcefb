"""`hassium.stats()` and `hassium.config()`: by name, and what people are shown of them."""

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


def test_the_settings_that_differ_are_shown() -> None:
    before = repr(np.config())
    assert before.startswith("config(")
    assert before.endswith(")")
    with np.config(rewrite="off", cache_entries=7):
        assert "cache_entries='7'" in repr(np.config())
        assert "rewrite='off'" in repr(np.config())
    assert repr(np.config()) == before
    changed = [row for row in np.config.table() if row["value"] != row["default"]]
    assert before.count("=") == len(changed)


def test_a_range_of_a_setting_is_told_from_words() -> None:
    allowed = {row["name"]: row["allowed"] for row in np.config.table()}
    assert allowed["threads"] == "0 to 1024"
    assert allowed["trace"] == "0 to 2"
    assert allowed["cache"] == "0 1"
    assert allowed["lazy_scalars"] == "auto off on"
