"""`python -m benchmarks compare OLD.json NEW.json`: finds regressions, and measures them again.

Rows are compared by their speed-up over NumPy on the same machine at the same time, so that a
slower machine is no regression. A row is a suspect if its speed-up fell by more than the tolerance;
it is reported only if a new measurement, with more rounds, is slow again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.run import NUMPY, Case, Configuration

Record = dict[str, Any]


def case_of(record: Record) -> Case:
    return Case(
        record["program"],
        record["size_name"],
        tuple(record["size"]),
        record["dtype"],
        Configuration(**record["configuration"]),
    )


def read(file: Path) -> dict[Case, Record]:
    """Returns the rows of a finished run, by case."""
    return {case_of(record): record for record in json.loads(file.read_text())["rows"]}


def ratio(old: Record, new: Record) -> float | None:
    """Returns the old speed-up over the new one: above one is slower. None without both."""
    before, after = old.get("speed_up"), new.get("speed_up")
    return before / after if before and after else None


def suspects(
    old: dict[Case, Record], new: dict[Case, Record], tolerance: float
) -> dict[Case, float]:
    """Returns the cases of both runs that are slower by more than the tolerance, worst first."""
    found = {}
    for case in old.keys() & new.keys():
        if case.configuration.library == "hassium":
            slower = ratio(old[case], new[case])
            if slower is not None and slower > 1 + tolerance:
                found[case] = slower
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def broken(old: dict[Case, Record], new: dict[Case, Record]) -> list[Case]:
    """Returns the cases that had a time and now fail, or now disagree with NumPy's results."""

    def right(record: Record) -> bool:
        agreement = record.get("agreement")
        return "error" not in record and (not agreement or agreement["agrees"])

    both = [case for case in old if case in new]
    return [case for case in both if right(old[case]) and not right(new[case])]


def confirmed(
    old: dict[Case, Record],
    suspected: dict[Case, float],
    tolerance: float,
    again: Callable[[list[list[Case]]], list[Record]],
) -> dict[Case, float]:
    """Returns the suspects that a new measurement finds slow as well."""
    groups = [
        [Case(case.program, case.size_name, case.size, case.dtype, NUMPY), case]
        for case in suspected
    ]
    measured = {case_of(record): record for record in again(groups)} if groups else {}
    return suspects({case: old[case] for case in suspected}, measured, tolerance)
