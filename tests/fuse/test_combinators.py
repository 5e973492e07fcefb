"""Combinators with orders: the examples of "Fusing Gathers with Integer Linear Programming"."""

from __future__ import annotations

import pytest

from fuse.combinator_programs import PAPER
from hassium.wsp import combinators, costs, exhaustive, greedy, orders
from hassium.wsp.orders import UnionFind

UNIT_COSTS = ["clusters", "edges", "stored", "reads", "traffic"]

# By example: the optimum of every unit cost, and the blocks that are best for `traffic`.
OPTIMA = {
    "singleLoop": ([1, 0, 1, 2, 3], ["inds bs cs ds result"]),
    "simple1": ([1, 0, 1, 2, 3], ["as bs"]),
    "simple2": ([1, 0, 1, 3, 4], ["as bs"]),
    "simple3": ([2, 1, 2, 3, 5], ["as", "bs"]),
    "simple4": ([1, 0, 1, 2, 3], ["as bs"]),
    "simple5": ([1, 0, 1, 3, 4], ["as bs cs"]),
    "scan then gather": ([2, 1, 2, 3, 5], ["as", "bs"]),
    "scans from both sides": ([2, 1, 2, 3, 5], ["bs", "as cs"]),
    "scanr": ([1, 0, 1, 1, 2], ["as bs cs"]),
    "scatterExample": ([2, 1, 2, 3, 5], ["bs", "as result"]),
    "greedyBottomUpBad": ([2, 2, 3, 3, 6], None),  # two partitions are as good
    "greedyTopDownBad": ([2, 2, 2, 3, 5], ["bs", "cs ds es result"]),
}

# What the dump shows of the first block: what it reads and writes, with orders.
FIRST_BLOCKS = {
    "singleLoop": "[as:2, as:0 | result:0]",
    "simple1": "[xs:2, is:0 | bs:0]",
    "simple2": "[is1:3, xs:2, is2:0 | bs:0]",
    "simple3": "[xs:0 | as:0]",
    "simple5": "[xs:0, is:0, xs:2 | cs:0]",
    "scanr": "[xs:1 | cs:1]",
    "scatterExample": "[xs:0 | bs:0]",
}


def program(name: str) -> combinators.Program:
    return combinators.parse(PAPER[name])


@pytest.mark.parametrize("name", PAPER)
def test_optima_of_the_examples(name: str) -> None:
    p = program(name)
    best = {cost: exhaustive.partition(p, costs.find(cost)) for cost in UNIT_COSTS}
    prices = [costs.price(p, blocks, costs.find(cost)) for cost, blocks in best.items()]
    expected, blocks = OPTIMA[name]
    assert prices == expected
    if blocks:
        assert [" ".join(block) for block in best["traffic"]] == blocks


@pytest.mark.parametrize("name", FIRST_BLOCKS)
def test_dumps_show_orders(name: str) -> None:
    p = program(name)
    text = costs.dump(p, exhaustive.partition(p, costs.find("traffic")))
    assert text.splitlines()[0] == f"block 0: {FIRST_BLOCKS[name]}"


def test_the_greedy_baselines_fall_into_their_traps() -> None:
    p = program("greedyTopDownBad")
    down, up = (costs.price(p, greedy.partition(p, b), costs.find("traffic")) for b in (0, 1))
    assert (down, up) == (6, 5)
    # `large` has 1,000 elements and the other arrays 10; unit costs do not see it.
    p = program("greedyBottomUpBad")
    best = costs.price(p, exhaustive.partition(p, costs.find("bytes")), costs.find("bytes"))
    down, up = (costs.price(p, greedy.partition(p, b), costs.find("bytes")) for b in (0, 1))
    assert (best, down, up) == (8 * 60, 8 * 60, 8 * 2040)
    assert costs.price(p, greedy.partition(p, True), costs.find("traffic")) == 6


ILLEGAL = {
    "a stored array in the order of a gather": ("simple3", "as bs", "as is stored and would run"),
    "a scan in the order of a gather": ("scan then gather", "as bs", "orders 0 and 2"),
    "scans from both sides": ("scans from both sides", "as bs cs", "orders 0 and 1"),
    "a destination": ("scatterExample", "bs result", "result needs all of bs"),
    "a table": ("greedyTopDownBad", "bs cs ds es", "ds needs all of bs"),
}


@pytest.mark.parametrize("case", ILLEGAL)
def test_refusals_name_their_reason(case: str) -> None:
    name, block, reason = ILLEGAL[case]
    assert reason in orders.refusal(program(name), block.split())


def test_blocks_split_into_what_hangs_together() -> None:
    text = "input xs\ninput ys\n{}\nreturn a b"
    for second, parts in {"map xs": 1, "map ys": 2, "scanr xs": 1}.items():
        p = combinators.parse(text.format(f"a = map xs\nb = {second}"))
        assert len(costs.connected(p, [["a", "b"]], costs.find("reads"))) == parts
    # One traversal from the left and one from the right do not share what they read.
    p = combinators.parse(text.format("a = scanl xs\nb = scanr xs"))
    assert len(costs.connected(p, [["a", "b"]], costs.find("reads"))) == 2


def test_what_is_selected_decides_the_work() -> None:
    text = "input is {}\ninput xs 100\nas = map xs work={}\nbs = gather is as\nreturn bs"
    work = costs.find("work")
    for selected, price, blocks in [(10, 0, 1), (1000, 0, 1), (1000, 100, 2), (10, 100, 1)]:
        p = combinators.parse(text.format(selected, price))
        assert len(exhaustive.partition(p, work)) == blocks
    fused = [["as", "bs"]]
    p = combinators.parse(text.format(10, 100))
    assert costs.price(p, fused, work) - costs.price(p, fused, costs.find("bytes")) == 10 * 100


def test_forced_arrays_are_there_before_they_are_read() -> None:
    text = "input xs\nas = map xs\nbs = map as\nreturn bs\n"
    assert len(exhaustive.partition(combinators.parse(text), costs.find("traffic"))) == 1
    p = combinators.parse(text + "force as")
    assert len(exhaustive.partition(p, costs.find("traffic"))) == 2


def test_dumps_can_be_read() -> None:
    p = program("simple1")
    assert p.dump().splitlines()[2:] == [
        "as = map xs:own size=1",
        "bs = gather is:own as:2 size=1",
        "return bs",
    ]


BAD = {
    "as = map xs": "line 1: unknown array 'xs'",
    "input xs\nas = frobnicate xs": "unknown combinator 'frobnicate'",
    "input xs\nas = gather xs": "line 2: gather of 1 arrays",
    "input xs\nas = map xs": "nothing reads 'as', and it is not returned",
    "input xs\nxs = map xs": "'xs' is there already",
    "input xs\nas = map xs color=3": "unknown option 'color'",
    "input xs\nas = map xs size=big": "line 2",
    "input xs\nas = map xs\nbs = scatter as xs\nreturn as bs": "'as' is returned and overwritten",
    "input xs\nas = map xs\nbs = scatter as xs\ncs = map as\nreturn bs cs": "behind the scatter",
    "input": "line 1",
}


@pytest.mark.parametrize("text", BAD)
def test_malformed_programs_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=BAD[text]):
        combinators.parse(text)


def test_partitions_are_checked() -> None:
    p, cost = program("simple3"), costs.find("traffic")
    for blocks in ([["as", "bs"]], [["as"]], [["as"], ["as", "bs"]]):
        with pytest.raises(ValueError, match=r"illegal block|must be in one block"):
            costs.price(p, blocks, cost)
    with pytest.raises(ValueError, match="at most 14 members, not 15"):
        exhaustive.partition(combinators.parse(long_program(15)), cost)


def long_program(members: int) -> str:
    lines = [f"v{k + 1} = map v{k}" for k in range(members)]
    return "\n".join(["input v0", *lines, f"return v{members}"])


def test_union_find() -> None:
    cells = UnionFind("abcd")
    cells.union("a", "b")
    cells.union("b", "d")
    assert sorted(map(sorted, cells.sets())) == [["a", "b", "d"], ["c"]]
