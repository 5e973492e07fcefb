"""The phases of generators: the examples of the paper, the size of nests, and malformed texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from hassium import debug
from hassium.withloop.dumps import Interval, parse_nest
from plan.generator_sets import FIG3, FIG7, bands, listed


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


FIG3_PHASES = {
    "generators": """
        shape [320,400]
        [0,0] -> [140,200]: op1
        [140,0] -> [320,199] step [1,2]: op1
        [140,1] -> [320,200] step [1,2]: op2
        [0,200] -> [317,400] step [9,1] width [2,1]: op2
        [2,200] -> [320,400] step [9,1] width [7,1]: op1
    """,
    "cubes": """
        cube [0,0] -> [140,200]
            op1: (0,1,1) (0,1,1)
        cube [0,200] -> [320,400]
            op2: (0,2,9) (0,1,1)
            op1: (2,7,9) (0,1,1)
        cube [140,0] -> [320,200]
            op1: (0,1,1) (0,1,2)
            op2: (0,1,1) (1,1,2)
    """,
    "splitting": """
        segment [0,0] -> [320,400]
        cube [0,0] -> [140,200]
            op1: (0,1,1) (0,1,1)
        cube [0,200] -> [140,400]
            op2: (0,2,9) (0,1,1)
            op1: (2,7,9) (0,1,1)
        cube [140,0] -> [320,200]
            op1: (0,1,1) (0,1,2)
            op2: (0,1,1) (1,1,2)
        cube [140,200] -> [320,400]
            op2: (4,2,9) (0,1,1)
            op1: (6,3,9) (0,1,1)
            op1: (0,4,9) (0,1,1)
    """,
    "merging": """
        segment [0,0] -> [320,400]: x0.0
        x0.0
            [0,140) period 9: +0:2 x1.0 +2:9 x1.1
            [140,320) period 9: +0:4 x1.2 +4:6 x1.3 +6:9 x1.2
        x1.0
            [0,200): op1
            [200,400): op2
        x1.1
            [0,200): op1
            [200,400): op1
        x1.2
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op1
        x1.3
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op2
    """,
    "optimisation": """
        segment [0,0] -> [320,400]: x0.0
        x0.0
            [0,140) period 9: +0:2 x1.0 +2:9 x1.1
            [140,320) period 9: +0:4 x1.2 +4:6 x1.3 +6:9 x1.2
        x1.0
            [0,200): op1
            [200,400): op2
        x1.1
            [0,400): op1
        x1.2
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op1
        x1.3
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op2
    """,
    "fitting": """
        segment [0,0] -> [320,400]: x0.0
        x0.0
            [0,135) period 9: +0:2 x1.0 +2:9 x1.1
            [135,140) period 5: +0:2 x1.0 +2:5 x1.1
            [140,320) period 9: +0:4 x1.2 +4:6 x1.3 +6:9 x1.2
        x1.0
            [0,200): op1
            [200,400): op2
        x1.1
            [0,400): op1
        x1.2
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op1
        x1.3
            [0,200) period 2: +0:1 op1 +1:2 op2
            [200,400): op2
    """,
}


@pytest.mark.parametrize("phase", FIG3_PHASES)
def test_fig3(phase: str) -> None:
    assert lines(debug.generators(FIG3)[phase]) == lines(FIG3_PHASES[phase])


def test_fig3_without_tiles_passes_tiling_unchanged() -> None:
    dumps = debug.generators(FIG3)
    assert dumps["tiling"] == dumps["splitting"]


def period(interval: Interval, letters: dict[str, str]) -> str:
    """One letter a row, as far as the first period goes."""
    rows = "".join((end - begin) * letters[child] for begin, end, child in interval.blocks)
    count = (interval.upper - interval.lower) // interval.period
    return f"({rows})x{count}" if count > 1 else rows


def test_fig3_row_by_row() -> None:
    nest = parse_nest(debug.generators(FIG3)["fitting"])
    letters = dict(zip((f"x1.{k}" for k in range(4)), "ABCD", strict=True))
    shown = " ".join(period(interval, letters) for interval in nest.nodes["x0.0"])
    assert shown == "(AABBBBBBB)x15 AABBB (CCCCDDCCC)x20"


def test_fig7_explodes_in_rows_alone() -> None:
    """Steps of 17 and 9 over the upper 140 rows: many blocks of four different rows."""
    one, own = (parse_nest(debug.generators(FIG7, way)["fitting"]) for way in ("all", "cubes"))
    upper = [interval for interval in one.nodes["x0.0"] if interval.upper <= 140]
    assert sum(len(interval.blocks) for interval in upper) == 45
    assert len({block.child for interval in upper for block in interval.blocks}) == 4
    assert len(own.segments) == 3
    assert max(len(i.blocks) for node in own.nodes.values() for i in node) == 2


def test_fig9_tiles() -> None:
    dumps = debug.generators(FIG3, tiles=[[100, 80]])
    corners = re.findall(r"segment \[(\d+),(\d+)\]", dumps["tiling"])
    assert corners == [(str(y), str(x)) for y in range(0, 320, 100) for x in range(0, 400, 80)]
    nest = parse_nest(dumps["fitting"])
    last = nest.segments[-1]
    assert (last.lower, last.upper) == ((300, 320), (320, 400))
    # Tiles of the left half share a nest while they hold one operation.
    assert [s.root for s in nest.segments[:2]] == ["x0.0", "x0.0"]


def test_levels_of_tiles_are_nested() -> None:
    dumps = debug.generators("shape [8]\n[0] -> [8]: a", tiles=[[4], [3]])
    boxes = re.findall(r"segment \[(\d+)\] -> \[(\d+)\]", dumps["tiling"])
    assert boxes == [("0", "3"), ("3", "4"), ("4", "7"), ("7", "8")]


def test_tiles_of_equal_contents_are_one() -> None:
    text = (
        "shape [1000,1000]\n[0,0] -> [1000,1000] step [1,2]: e\n[0,1] -> [1000,1000] step [1,2]: o"
    )
    nest = parse_nest(debug.generators(text, tiles=[[50, 50]])["fitting"])
    assert len(nest.segments) == 400
    assert len(nest.nodes) == 2


# By the steps side by side: blocks of rows and different rows in one segment, blocks of rows where
# each cube is a segment. 2,000 rows, two kinds of rows in each cube.
SIDE_BY_SIDE = {
    (2, 3): (8, 4, 5),
    (2, 4, 8): (8, 8, 6),
    (16, 32): (6, 4, 5),
    (3, 9, 27): (19, 8, 9),
    (7, 11): (64, 4, 8),
    (9, 17): (51, 4, 7),
    (7, 11, 13): (1012, 8, 12),
}


def row_blocks(text: str, segmentation: str) -> tuple[int, int]:
    """Blocks of axis 0, and the different rows that they name."""
    nest = parse_nest(debug.generators(text, segmentation)["fitting"])
    blocks = [
        block
        for segment in nest.segments
        for interval in nest.nodes[segment.root]
        for block in interval.blocks
    ]
    return len(blocks), len({block.child for block in blocks})


@pytest.mark.parametrize("steps", SIDE_BY_SIDE)
def test_rows_are_data(steps: Sequence[int]) -> None:
    blocks, rows, own = SIDE_BY_SIDE[tuple(steps)]
    assert row_blocks(bands(steps), "all") == (blocks, rows)
    assert row_blocks(bands(steps), "cubes")[0] == own
    assert row_blocks(bands(steps), "auto") == (blocks, rows)


MOST_BLOCKS = 8192


def size(dump: str) -> int:
    """Blocks of a nest, those of dense intervals too."""
    nest = parse_nest(dump)
    return sum(len(interval.blocks) for node in nest.nodes.values() for interval in node)


def overlapping_grids(count: int, rank: int) -> str:
    """Grids of different prime steps over each other, in an array of a million points an axis."""
    primes = [7, 11, 13, 101, 103, 107, 109, 113, 127, 131, 137, 139][:count]
    extents = ",".join(["1000000"] * rank)
    rows = [
        f"{listed([k] * rank)} -> [{extents}] step {listed([prime] * rank)}: op{k}"
        for k, prime in enumerate(primes)
    ]
    return "\n".join([f"shape [{extents}]", *rows])


def nested_boxes(count: int, rank: int) -> str:
    """Boxes each of which has an end inside all others on every axis."""
    rows = [f"{listed([k] * rank)} -> {listed([500 + 3 * k] * rank)}: op{k}" for k in range(count)]
    return "\n".join([f"shape {listed([2000] * rank)}", *rows])


EXPLOSIONS = {
    "steps without a small multiple": bands((101, 103, 107), 1_000_000),
    "many steps side by side": bands((5, 7, 9, 11, 13, 16, 17, 19, 23), 1_000_000),
    "a thousand cubes side by side": bands(range(2, 1002), 5000, 1),
    "overlapping grids": overlapping_grids(12, 1),
    "overlapping grids in three axes": overlapping_grids(5, 3),
    "overlapping boxes": nested_boxes(100, 1),
    "overlapping boxes in four axes": nested_boxes(30, 4),
}


@pytest.mark.parametrize("case", EXPLOSIONS)
def test_the_size_is_bounded(case: str) -> None:
    text = EXPLOSIONS[case]
    dumps = debug.generators(text)
    generators = text.count("\n")
    rank = text.splitlines()[0].count(",") + 1
    # Fitting divides an interval in two; each generator on its own has a block or two an axis.
    assert size(dumps["fitting"]) <= max(2 * MOST_BLOCKS, 2 * rank * generators)
    assert size(dumps["merging"]) <= max(MOST_BLOCKS, rank * generators)


def test_what_asks_for_too_much_is_refused() -> None:
    with pytest.raises(ValueError, match="the nest has more than 8192 blocks"):
        debug.generators(EXPLOSIONS["steps without a small multiple"], "all")
    with pytest.raises(ValueError, match="the nest has more than 8192 blocks"):
        debug.generators("shape [1000000]\n[0] -> [1000000]: op", tiles=[[2]])


def test_each_generator_a_segment_in_writing_order() -> None:
    text = "shape [9]\n[3] -> [8]: a\n[0] -> [9] step [4]: b\n[3] -> [5]: c"
    nest = parse_nest(debug.generators(text, "generators")["fitting"])
    assert [segment.lower for segment in nest.segments] == [(3,), (0,), (3,)]


def test_bounds_are_the_first_and_last_points() -> None:
    grids = "[1] -> [9] step [2]: a\n[2] -> [9] step [2]: b\n[0] -> [9] step [20] width [3]: c"
    dumps = debug.generators(f"shape [9]\n{grids}")
    assert lines(dumps["generators"])[1:] == [
        "[1] -> [8] step [2]: a",
        "[2] -> [9] step [2]: b",
        "[0] -> [3]: c",
    ]
    assert dumps["cubes"] == (
        "cube [0] -> [3]\n    c: (0,1,1)\ncube [3] -> [9]\n    a: (0,1,2)\n    b: (1,1,2)\n"
    )


def test_what_is_written_over_is_gone() -> None:
    text = "shape [6,6]\n[0,0] -> [6,6]: old\n[1,1] -> [5,5] step [2,2]: old\n[0,0] -> [6,6]: new"
    assert debug.generators(text)["cubes"] == "cube [0,0] -> [6,6]\n    new: (0,1,1) (0,1,1)\n"


def test_no_points_and_no_axes() -> None:
    for text in ("shape [4]", "shape [0,3]\n[0,0] -> [0,3]: a", "shape [3]\n[2] -> [2]: a"):
        assert debug.generators(text)["fitting"] == ""
    dumps = debug.generators("shape []\n[] -> []: a\n[] -> []: b")
    assert dumps["fitting"] == "segment [] -> []: b\n"


MALFORMED = {
    "": "must begin with shape",
    "[0] -> [4]: a": "line 1: must begin with shape",
    "shape 4": "bad list '4'",
    "shape [4,]": "bad list",
    "shape [-4]": "bad list",
    "shape [999999999999999999]": "bad list",
    "shape [" + ",".join("1" * 65) + "]": "more than 64 axes",
    "shape [4]\n[0] -> [5]: a": "line 2: ends outside the shape on axis 0",
    "shape [4]\n[0,0] -> [4]: a": "has 2 numbers for 1 axes",
    "shape [4]\n[0] [4]: a": "must be",
    "shape [4]\n[0] ->": "the upper bound is missing",
    "shape [4]\n[0] -> [4] step": "the step is missing",
    "shape [4]\n[0] -> [4] step [0]: a": "at least 1",
    "shape [4]\n[0] -> [4] width [0]: a": "at least 1",
    "shape [4]\n[0] -> [4] a": "must end with : and the name of one operation",
    "shape [4]\n[0] -> [4]: a b": "must end with",
    "shape [4]\n[0] -> [4]:": "must end with",
    "shape [4]\n[0] -> [4]: 4a": "bad operation '4a'",
    "shape [4]\n[0] -> [4]: a-b": "bad operation",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_texts(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(MALFORMED[text])):
        debug.generators(text)


def test_unknown_names_and_tiles() -> None:
    with pytest.raises(ValueError, match="must be auto, all, cubes or generators"):
        debug.generators(FIG3, "some")
    for tiles in ([[4]], [[0, 4]], [[4, 4, 4]]):
        with pytest.raises(ValueError, match="an extent of at least 1 for each axis"):
            debug.generators(FIG3, tiles=tiles)
