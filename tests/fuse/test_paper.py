"""The paper's own examples. No kernel runs: programs are partitioned as text.

Rule: `new` and `del` are per base, and a `del` earns nothing for a base that the program syncs.
"""

from __future__ import annotations

import pytest

from fuse.paper import FIG2, FIG3, FIG21
from hassium import debug

RULES = ["full", "paper"]


def cost(text: str, partitioner: str, model: str = "bohrium", legality: str = "full") -> float:
    answer = debug.partition(text, partitioner, model, unit="elements", legality=legality)
    found: float = answer["cost"]
    assert found == debug.cost(text, answer["blocks"], model, unit="elements", legality=legality)
    return found


@pytest.mark.parametrize("legality", RULES)
def test_fig_3(legality: str) -> None:
    assert cost(FIG3, "singleton", legality=legality) == 94
    assert cost(FIG3, "linear", legality=legality) == 62
    assert cost(FIG3, "greedy", legality=legality) <= 58
    assert cost(FIG3, "unintrusive", legality=legality) == 74
    best = debug.partition(FIG3, "optimal", unit="elements", legality=legality)
    assert (best["cost"], best["bound"], best["optimal"]) == (38, 38, True)


def test_fig_3_counts_bytes_by_default() -> None:
    assert debug.partition(FIG3, "optimal")["cost"] == 8 * 38


# Counted by hand: five arrays are created; accesses to A and to B pair up nine times each, to T
# three times, to the four cut views of D and E once each.
FIG3_TABLE = {
    "singleton": {"bohrium": 94, "max_contract": 5, "max_locality": 25},
    "optimal": {"bohrium": 38, "max_contract": 3, "max_locality": 2},
}


@pytest.mark.parametrize("model", ["bohrium", "max_contract", "max_locality", "robinson"])
def test_fig_3_under_every_model(model: str) -> None:
    names = ["singleton", "linear", "unintrusive", "greedy", "optimal"]
    costs = {name: cost(FIG3, name, model) for name in names}
    assert costs["optimal"] == min(costs.values())
    assert costs["singleton"] == max(costs.values())
    for name, expected in FIG3_TABLE.items():
        if model in expected:
            assert costs[name] == expected[model]
    assert debug.partition(FIG3, "optimal", model)["optimal"]


def test_robinson_puts_locality_before_contraction_before_blocks() -> None:
    for text in (FIG3, FIG21):
        blocks = debug.partition(text, "optimal", "robinson")["blocks"]
        least = debug.partition(text, "optimal", "max_locality")["cost"]
        assert debug.cost(text, blocks, "max_locality") == least


def accesses(blocks: list[list[int]]) -> float:
    """What the paper calls actual array accesses: arrays of size 1, so elements."""
    return debug.cost(FIG2, blocks, unit="elements")


def test_fig_2_pairs_overestimate_locality() -> None:
    apart = [[k] for k in range(6)]
    assert debug.cost(FIG2, apart, "max_locality") == 13
    assert accesses(apart) == 10

    by_pairs = debug.partition(FIG2, "optimal", "max_locality")
    assert by_pairs["optimal"]
    assert by_pairs["blocks"] == [[0], [1, 2, 3, 4, 5]]
    assert by_pairs["cost"] == 3
    assert accesses(by_pairs["blocks"]) == 7

    by_accesses = debug.partition(FIG2, "optimal", unit="elements")
    assert by_accesses["optimal"]
    assert by_accesses["blocks"] == [[0, 1], [2, 3, 4, 5]]
    assert by_accesses["cost"] == 4
    assert debug.cost(FIG2, by_accesses["blocks"], "max_locality") == 4


# Fig. 21b and c: F and G with the loop before, or with the loop behind that uses them.
FIG21_B = [[0], [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13], [8, 9, 14, 15, 16]]
FIG21_C = [[0], [1, 2, 3, 4, 5, 10, 11, 12, 13], [6, 7, 8, 9, 14, 15, 16]]


def test_fig_21_locality_cannot_see_the_contraction() -> None:
    locality = debug.partition(FIG21, "optimal", "max_locality")
    assert locality["optimal"]
    assert debug.cost(FIG21, FIG21_B, "max_locality") == locality["cost"]
    assert debug.cost(FIG21, FIG21_C, "max_locality") == locality["cost"]


@pytest.mark.parametrize("model", ["bohrium", "max_contract", "robinson"])
def test_fig_21_the_others_find_the_contraction(model: str) -> None:
    best = debug.partition(FIG21, "optimal", model)
    assert best["optimal"]
    assert best["cost"] == debug.cost(FIG21, FIG21_C, model)
    assert best["cost"] < debug.cost(FIG21, FIG21_B, model)
    assert debug.cost(FIG21, best["blocks"], "max_contract") == 1  # H alone is not contracted
    assert debug.cost(FIG21, FIG21_B, "max_contract") == 3


def test_unintrusive_asks_for_the_theta_of_the_merged_block() -> None:
    # By Fig. 6 alone the first write takes the del: 9 elements stay, 3 would do.
    text = "base c float64 12\ncopy c[0+(3:1)] 0.0\ncopy c[3+(9:1)] 0.0\ndel c\n"
    assert cost(text, "optimal") == 3
    blocks = debug.partition(text, "unintrusive")["blocks"]
    assert [0, 2] not in blocks
    chain = "base a float64 4\nbase b float64 4\nadd a 1.0 2.0\nadd b a 1.0\ndel a\n"
    assert debug.partition(chain, "unintrusive")["blocks"] == [[0, 1, 2]]


def test_a_del_of_a_synced_base_earns_nothing() -> None:
    text = "base a float64 4\nadd a 1.0 2.0\n{}del a\n"
    assert cost(text.format(""), "optimal") == 0
    assert cost(text.format("sync a\n"), "optimal") == 4
    assert cost(text.format("sync a\n"), "optimal", "max_contract") == 1
