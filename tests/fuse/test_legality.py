"""The rules of src/fuse/legal/legal.hpp on text programs: a block that fuses, one that does not.

tests/cpp/test_legality.cpp asks the rules pair by pair; here partitions must show them.
"""

from __future__ import annotations

import pytest

from hassium import debug

BASES = """
base a float64 12 input
base b float64 12
base c float64 12
base s float64 12
base m bool 12
base i int64 4
base z complex128 3 input
"""

# rule: lines that share a block, lines that do not, under all rules.
RULES = {
    "1 identical views": (
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(3:1)] b[0+(3:1)] 1.0"],
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(3:1)] b[1+(3:1)] 1.0"],
    ),
    "1 views that do not overlap": (
        ["add b[0+(3:2)] a[0+(3:1)] 1.0", "add c[0+(3:1)] b[1+(3:2)] 1.0"],
        ["add b[0+(3:2)] a[0+(3:1)] 1.0", "add c[0+(3:1)] b[4+(3:-1)] 1.0"],
    ),
    "1 overlapping reads": (
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(3:1)] a[1+(3:1)] 1.0"],
        ["add a[0+(3:1)] b[0+(3:1)] 1.0", "add c[0+(3:1)] a[1+(3:1)] 1.0"],
    ),
    "1 masks are read": (
        ["less m a 0.0", "copy b 0.0 where=m"],
        ["less m[0+(3:1)] a[0+(3:1)] 0.0", "copy b[0+(3:1)] 0.0 where=m[1+(3:1)]"],
    ),
    "1 parts of complex numbers": (
        ["add z z 1.0", "add b[0+(3:1)] z:float64@[8+(3:16)] 1.0"],
        ["add z z 1.0", "add b[0+(3:1)] z:float64@[40+(3:-16)] 1.0"],
    ),
    "2 equal shapes": (
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(3:1)] a[0+(3:1)] 1.0"],
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(4:1)] a[0+(4:1)] 1.0"],
    ),
    "3 producers of a reduction's input, not consumers of its result": (
        ["add b a 1.0", "add.reduce axis=0 s[0+()] b"],
        [
            "add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]",
            "add b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:0,4:1)]",
        ],
    ),
    "4 reductions over the same axes": (
        ["add.reduce axis=0 s[0+()] a", "maximum.reduce axis=0 s[1+()] a"],
        [
            "add.reduce axis=0 b[0+(4:1)] a[0+(3:4,4:1)]",
            "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]",
        ],
    ),
    "5 routines of their own, with del and sync alone": (
        ["add.accumulate axis=0 b[0+(6:2)] a[0+(6:2)]", "sync b"],
        ["add.accumulate axis=0 b[0+(6:2)] a[0+(6:2)]", "add c[0+(6:1)] b[0+(6:2)] 1.0"],
    ),
    "6 del and sync join anything": (
        ["add b a 1.0", "sync b", "del a"],
        ["add b a 1.0", "sync b", "add c[0+(3:1)] a[0+(3:1)] 1.0"],
    ),
    "8 consumers of a reduction over the kept axes": (
        ["add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]", "multiply b[0+(3:1)] s[0+(3:1)] 2.0"],
        ["add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]", "multiply b[0+(3:1)] s[1+(3:1)] 2.0"],
    ),
    "9 consumers of a reduction all along the row": (
        [
            "maximum.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]",
            "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]",
        ],
        [
            "maximum.reduce axis=1 s[0+(3:1)] a[0+(3:3,3:1)]",
            "subtract b[0+(3:3,3:1)] a[0+(3:3,3:1)] s[0+(3:0,3:1)]",
        ],
    ),
    "10 shapes that are one when axes merge": (
        ["add b[0+(3:4,4:1)] a[0+(3:4,4:1)] 1.0", "add c b 1.0"],
        ["add b[0+(3:4,4:1)] a[0+(3:4,4:1)] 1.0", "add c b[11+(12:-1)] 1.0"],
    ),
    "10 shapes with common axes": (
        ["add b[0+(2:6,6:1)] a[0+(2:6,6:0)] 1.0", "add c[0+(4:3,3:1)] a[0+(4:0,3:1)] 1.0"],
        ["add b[0+(3:4,4:1)] a[0+(3:0,4:1)] 1.0", "add c[0+(2:6,6:1)] a[0+(2:0,6:1)] 1.0"],
    ),
    "10 rows that do not follow each other": (
        ["add b[0+(2:6,4:1)] a[0+(2:6,4:1)] 1.0", "add c[0+(2:4,2:2,2:1)] b[0+(2:6,2:2,2:1)] 1.0"],
        ["add b[0+(2:6,4:1)] a[0+(2:6,4:1)] 1.0", "add c[0+(8:1)] b[0+(8:1)] 1.0"],
    ),
    "10 a reduction in one of the shapes": (
        ["add b a 1.0", "add.reduce axis=1 s[0+(3:1)] b[0+(3:4,4:1)]"],
        ["add b[0+(2:6,6:1)] a[0+(2:6,6:0)] 1.0", "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]"],
    ),
    "10 reductions in one shape only": (
        ["add b a 1.0", "add.reduce axis=0,1 s[0+()] b[0+(3:4,4:1)]"],
        ["add.reduce axis=0 s[0+()] a", "add.reduce axis=0,1 s[1+()] a[0+(3:4,4:1)]"],
    ),
    "11 accumulations with maps over their shape": (
        ["add b a 1.0", "add.accumulate axis=0 c b"],
        ["add b a 1.0", "add.accumulate axis=0 c[0+(11:1)] b[0+(11:1)]"],
    ),
    "11 accumulations along one axis": (
        [
            "add.accumulate axis=1 b[0+(3:4,4:1)] a[0+(3:4,4:1)]",
            "maximum.accumulate axis=1 c[0+(3:4,4:1)] b[0+(3:4,4:1)]",
        ],
        [
            "add.accumulate axis=1 b[0+(3:4,4:1)] a[0+(3:4,4:1)]",
            "maximum.accumulate axis=0 c[0+(3:1,4:3)] b[0+(3:1,4:3)]",
        ],
    ),
    "11 no accumulation with a reduction": (
        ["add.accumulate axis=0 b a", "multiply c b b"],
        ["add.accumulate axis=0 b a", "add.reduce axis=0 s[0+()] b"],
    ),
    "11 no accumulation with who iterates over merged axes": (
        [
            "add.accumulate axis=1 b[0+(3:4,4:1)] a[0+(3:4,4:1)]",
            "add c[0+(3:4,4:1)] a[0+(3:4,4:1)] 1.0",
        ],
        ["add.accumulate axis=1 b[0+(3:4,4:1)] a[0+(3:4,4:1)]", "add c a 1.0"],
    ),
    "10 kept axes mean one shape": (
        [
            "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]",
            "add b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]",
        ],
        [
            "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]",
            "add b[0+(6:2,2:1)] a[0+(6:2,2:1)] s[0+(6:0,2:0)]",
        ],
    ),
}
BEYOND_THE_PAPER = ("1 parts", "8", "9", "10", "11")


def blocks(lines: list[str], legality: str = "full") -> int:
    text = BASES + "\n".join(lines) + "\n"
    # Linear puts into one block whatever it may.
    return len(debug.partition(text, "linear", legality=legality)["blocks"])


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    fused, refused = RULES[rule]
    assert blocks(fused) == 1
    assert blocks(refused) == 2


@pytest.mark.parametrize("rule", RULES)
def test_rule_in_the_paper(rule: str) -> None:
    """Def. 12 knows no trees and no rows of reductions, no dtypes; the rest holds there as well."""
    fused, refused = RULES[rule]
    assert blocks(fused, "paper") == (2 if rule.startswith(BEYOND_THE_PAPER) else 1)
    assert blocks(refused, "paper") == (1 if rule.startswith("4") else 2)


# Views of a complex base z that show no part of each element, or are written.
NO_PARTS = {
    "crosses elements": "add b[0+(3:1)] z:float64@[4+(3:16)] 1.0",
    "of half the elements": "add b[0+(3:1)] z:float64@[0+(3:8)] 1.0",
    "of an element ahead": "add b[0+(3:1)] z:float64@[24+(3:16)] 1.0",
    "reversed": "add b[0+(3:1)] z:float64@[32+(3:-16)] 1.0",
    "of another dtype": "add c[0+(3:1)] z:int64@[0+(3:16)] 1",
    "written": "add z:float64@[8+(3:16)] b[0+(3:1)] 1.0",
    "reduced": "add.reduce axis=0 z:float64@[0+()] b[0+(3:1)]",
}


@pytest.mark.parametrize("view", NO_PARTS)
def test_what_is_no_part_of_a_complex_array(view: str) -> None:
    bases = BASES.replace("z complex128 3", "z complex128 4")
    whole = "add z[0+(3:1)] z[0+(3:1)] 1.0"
    for lines in ([whole, NO_PARTS[view]], [NO_PARTS[view], whole]):
        text = bases + "\n".join(lines) + "\n"
        assert len(debug.partition(text, "linear")["blocks"]) == 2


REASONS = {
    "the other direction": (
        ["add b a 1.0", "add c b[11+(12:-1)] 1.0"],
        "they go through the same elements in different orders",
    ),
    "the other axis first": (
        ["add b[0+(3:4,4:1)] a[0+(3:4,4:1)] 1.0", "add c[0+(3:4,4:1)] b[0+(3:1,4:3)] 1.0"],
        "they go through the same elements in different orders",
    ),
    "other elements": (
        ["add b[0+(3:1)] a[0+(3:1)] 1.0", "add c[0+(3:1)] b[1+(3:1)] 1.0"],
        "they touch overlapping views that differ",
    ),
    "the source of a gather": (
        ["add b[0+(4:1)] a[0+(4:1)] 1.0", "take axis=0 c[0+(4:1)] b i"],
        "one gathers elements of what the other computes",
    ),
    "a reduction": (
        [
            "add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]",
            "subtract c[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:0,4:1)]",
        ],
        "one uses a reduction that the other has yet to finish",
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_refusals_name_their_reason(case: str) -> None:
    lines, reason = REASONS[case]
    with pytest.raises(ValueError, match=reason):
        debug.cost(BASES + "\n".join(lines), [[0, 1]])


def test_rule_7_bounds_a_block() -> None:
    lines = ["add b b 1.0"] * 600
    assert blocks(lines) == 2
    assert blocks(lines, "paper") == 1


def test_a_partition_that_is_not_legal_has_no_cost() -> None:
    fused, refused = RULES["2 equal shapes"]
    assert debug.cost(BASES + "\n".join(fused), [[0, 1]]) > 0
    with pytest.raises(ValueError, match="they iterate over different shapes"):
        debug.cost(BASES + "\n".join(refused), [[0, 1]])
    with pytest.raises(ValueError, match="is in no block"):
        debug.cost(BASES + "\n".join(fused), [[0]])
    with pytest.raises(ValueError, match="does not exist"):
        debug.cost(BASES + "\n".join(fused), [[0, 7]])
    with pytest.raises(ValueError, match="stands before"):
        debug.cost(BASES + "\n".join(RULES["1 identical views"][0]), [[1], [0]])
    # A cycle: the middle one must run between the two.
    lines = ["add b a 1.0", "add.reduce axis=0 s[0+()] b", "add c b s[0+()]"]
    with pytest.raises(ValueError, match="stands before"):
        debug.cost(BASES + "\n".join(lines), [[0, 2], [1]])


def test_a_result_over_other_axes_is_no_element_of_a_row() -> None:
    """Rows of the shape run along axis 1; `s` has one element for each column of a matrix whose
    columns are contiguous, and rule 8 lets `t` read it beside rows."""
    square = "[0+(3:3,3:1)]"
    lines = [
        f"add.reduce axis=1 m64[0+(3:1)] a{square}",
        "add.reduce axis=0 s[0+(3:1)] a[0+(3:1,3:3)]",
        "add b[0+(3:1)] s[0+(3:1)] 1.0",
        f"subtract c{square} a{square} s[0+(3:1,3:0)]",
    ]
    text = BASES + "base m64 float64 3\n" + "\n".join(lines) + "\n"
    with pytest.raises(ValueError, match="a reduction that the other has yet to finish"):
        debug.cost(text, [[0], [1, 3], [2]])
