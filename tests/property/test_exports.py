"""Exports as a state machine: views of the same memory, kept and written from both sides.

Every array exists twice, in NumPy and in hassium, and so does every view that `numpy.asarray` or
`memoryview` gave. Rules write to either side, build lazy work on top, and drop arrays or views in
any order; after every rule both worlds must hold the same values, though nothing forced a flush
but the reading itself.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

import hassium
from property.test_programs import COUNT, SEED

Pair = tuple[Any, Any]  # the same in hassium and in NumPy

SLICES = [
    (slice(None),),
    (slice(1, None),),
    (slice(None, None, -1),),
    (slice(None, None, 2),),
    (Ellipsis, slice(None, 2)),
    (Ellipsis, 0),
]
VALUES = st.integers(-8, 8)
CUTS = st.sampled_from(SLICES)


def write_rows(pair: Pair, cut: Any, value: int) -> None:
    """Both take the value or, where there is no row 0, both refuse the index."""
    if pair[1].ndim == 0:
        return
    if len(pair[1]) == 0 and cut[-1] == 0:
        for array in pair:
            with pytest.raises(IndexError, match="out of bounds for axis 0 with size 0"):
                array[0] = value
        return
    for array in pair:
        array[cut[-1:]] = value


class Exports(RuleBasedStateMachine):
    """Arrays of hassium beside NumPy's, and NumPy views of the memory of both."""

    arrays: Bundle[Pair] = Bundle("arrays")
    views: Bundle[Pair] = Bundle("views")

    def __init__(self) -> None:
        super().__init__()
        self.live: list[Pair] = []
        self.kept: list[Pair] = []
        self.setting = hassium.config(eager_elements=0)

    def teardown(self) -> None:
        self.setting.__exit__(None, None, None)

    def array(self, mine: Any, theirs: Any) -> Pair:
        pair = (mine, theirs)
        self.live.append(pair)
        return pair

    @initialize(target=arrays)
    def start(self) -> Any:
        return self.make(3, 4)

    @rule(target=arrays, rows=st.integers(1, 4), columns=st.integers(1, 5))
    def make(self, rows: int, columns: int) -> Pair:
        theirs = numpy.arange(float(rows * columns)).reshape(rows, columns)
        mine = hassium.arange(float(rows * columns)).reshape(rows, columns)
        return self.array(mine, theirs)

    @rule(target=arrays, pair=arrays, factor=VALUES)
    def compute(self, pair: Pair, factor: int) -> Pair:
        """New values, recorded and not run."""
        return self.array(pair[0] * factor + 1.0, pair[1] * factor + 1.0)

    @rule(target=arrays, pair=arrays, cut=CUTS)
    def view_inside(self, pair: Pair, cut: Any) -> Any:
        """A view on hassium's side of memory that may be exported already."""
        if pair[1].ndim < 2:
            return multiple()
        return self.array(pair[0][cut], pair[1][cut])

    @rule(pair=arrays, cut=CUTS, value=VALUES)
    def write_mine(self, pair: Pair, cut: Any, value: int) -> None:
        write_rows(pair, cut, value)

    @rule(pair=arrays, value=VALUES)
    def add_in_place(self, pair: Pair, value: int) -> None:
        for array in pair:
            array += value

    @rule(target=views, pair=arrays)
    def export(self, pair: Pair) -> Pair:
        mine, theirs = numpy.asarray(pair[0]), pair[1][...]
        shared = numpy.shares_memory(mine, numpy.asarray(pair[0]))
        assert shared or mine.size == 0, "asarray copied"
        self.kept.append((mine, theirs))
        return (mine, theirs)

    @rule(target=views, pair=arrays)
    def export_buffer(self, pair: Pair) -> Pair:
        mine, theirs = numpy.asarray(memoryview(pair[0])), pair[1][...]
        self.kept.append((mine, theirs))
        return (mine, theirs)

    @rule(pair=views, value=VALUES)
    def write_theirs(self, pair: Pair, value: int) -> None:
        """From NumPy's side; what hassium recorded before must have seen the old values."""
        for view in pair:
            view += value

    @rule(pair=views, cut=CUTS, value=VALUES)
    def write_part_of_theirs(self, pair: Pair, cut: Any, value: int) -> None:
        write_rows(pair, cut, value)

    @rule(target=arrays, array=arrays, view=views)
    def mix(self, array: Pair, view: Pair) -> Any:
        """Both kinds in one operation."""
        if array[1].shape != view[1].shape:
            return multiple()
        return self.array(array[0] - view[0], array[1] - view[1])

    @rule(pair=consumes(views))
    def drop_view(self, pair: Pair) -> None:
        self.kept = [other for other in self.kept if other[0] is not pair[0]]

    @rule(pair=consumes(arrays))
    def drop_array(self, pair: Pair) -> None:
        """Its exports stay readable and writable without it."""
        self.live = [other for other in self.live if other[0] is not pair[0]]

    @rule()
    def flush(self) -> None:
        hassium.flush()

    @invariant()
    def exports_hold_the_same(self) -> None:
        """Read without hassium: what is exported must be true at any time."""
        for mine, theirs in self.kept:
            assert (mine == theirs).all(), (mine, theirs)

    @rule()
    def read_everything(self) -> None:
        for mine, theirs in self.live:
            assert mine.tolist() == theirs.tolist()


Exports.TestCase.settings = settings(
    deadline=None,
    derandomize=SEED is None,
    max_examples=COUNT,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)
TestExports = pytest.mark.timeout(300 + COUNT)(Exports.TestCase)  # seconds
