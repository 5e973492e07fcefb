"""Programs run with blocks that are given, not found."""

from __future__ import annotations

import pytest

from fuse.paper import FIG3
from hassium import debug

TEXT = """
base x float64 1000 input
base t float64 1000
base y float64 1000
multiply t x 2.0
add y t 1.0
del t
"""


def test_results_are_those_of_any_partition() -> None:
    expected = debug.run(TEXT, executor="reference")
    for blocks in ([[0, 1, 2]], [[0], [1], [2]], [[0], [1, 2]]):
        assert debug.run(TEXT, blocks) == expected
    assert debug.run(FIG3, debug.partition(FIG3, "optimal")["blocks"]) == debug.run(FIG3)


def test_blocks_take_time() -> None:
    assert debug.run_seconds(TEXT, [[0], [1, 2]]) > 0


def test_products_are_those_of_the_blocks() -> None:
    answer = debug.partition(TEXT, [[0], [1, 2]], described=True)
    assert answer["blocks"] == [[0], [1, 2]]
    assert answer["cost"] == debug.cost(TEXT, [[0], [1, 2]]) == 32_000
    assert answer["description"]["contracted"] == [[], []]
    assert debug.dump(TEXT, [[0], [1, 2]])["partition"].count("\nblock ") == 2


def test_a_partition_that_is_not_legal_is_refused() -> None:
    for blocks in ([[0], [1]], [[1], [0], [2]], [[0, 1, 3]], []):
        with pytest.raises(ValueError, match=r"\[partition\]"):
            debug.run(TEXT, blocks)
