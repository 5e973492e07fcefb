"""Thresholds stand in one table, with a unit, a reason and a benchmark that exists."""

from __future__ import annotations

import re

import hassium as np
from repo.tree import CPP_SUFFIXES, ROOT, files, name

TABLE = (ROOT / "src/record/thresholds.def").read_text()
ROWS = re.findall(r'^HS_THRESHOLD\((\w+), (\d+), "([^"]+)", "([^"]+)", "([^"]+)"\)$', TABLE, re.M)
VALUES = {row[0]: int(row[1]) for row in ROWS}


def test_every_row_is_complete() -> None:
    assert len(ROWS) == len(re.findall(r"^HS_THRESHOLD", TABLE, re.M)) > 20
    for _, value, unit, reason, benchmark in ROWS:
        assert int(value) > 0
        assert unit
        assert len(reason) > 20
        assert (ROOT / "benchmarks" / benchmark.split()[0]).is_file()


def test_nothing_else_multiplies_the_bound_of_eager_operations() -> None:
    readers = [
        name(path)
        for path in files("src", suffixes=CPP_SUFFIXES)
        if "Setting::eager_elements" in path.read_text()
    ]
    assert readers == ["src/record/policy.hpp"]


def test_every_row_is_read() -> None:
    text = "".join(path.read_text() for path in files("src", suffixes=CPP_SUFFIXES))
    assert [row for row in VALUES if f"Threshold::{row}" not in text] == []


def test_the_table_is_what_decides() -> None:
    most = 64 << VALUES["line"]
    for elements, eager in ((most, 1), (most + 1, 0)):
        with np.config(eager_elements=64):
            x = np.ones(elements)
            np.flush()
            for _ in range(12):  # no read is near
                y = x + 1.0
            np.flush()
            np.reset_stats()
            y = x + 1.0
            assert np.stats()["eager_instructions"] == eager
            del y


def test_no_bound_of_the_policy_stands_elsewhere() -> None:
    """Sizes and times by which the recorder decides are rows; other constants are capacities."""
    constants = re.compile(r"constexpr \w+(?:::\w+)? (k\w+) = (?!threshold|static_cast<)[^;]+;")
    capacities = {"kUnits", "kSlots", "kSpareBases", "kAddressable", "kAlwaysThere", "kNone"}
    found = {
        constant
        for path in files("src/record", "src/engine/background", suffixes=CPP_SUFFIXES)
        for (constant,) in (match.groups() for match in constants.finditer(path.read_text()))
    }
    assert found - capacities == set()


def test_the_page_on_laziness_repeats_no_threshold() -> None:
    page = (ROOT / "docs/laziness.md").read_text()
    assert "src/record/thresholds.def" in page
    spelled = {f"{1 << int(v) if unit == 'log2' else int(v):,}" for _, v, unit, *_ in ROWS}
    large = {text for text in spelled if len(text) > 2}
    assert [text for text in sorted(large) if re.search(rf"\b{text}\b", page)] == []
