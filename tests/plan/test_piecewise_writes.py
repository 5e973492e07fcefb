"""Writes of one base that are recognised as generators: their points, and what may not be moved."""

from __future__ import annotations

import os
import random
import re
from typing import Any

import numpy
import pytest
from numpy.lib.stride_tricks import as_strided

from fuse.random_programs import random_program
from hassium import debug
from plan.generator_sets import last_writer, listed, written

RANDOM_PROGRAMS = int(os.environ.get("PROPERTY_PROGRAMS", "400"))


def groups(text: str) -> list[list[int]]:
    return [group["instructions"] for group in debug.piecewise_writes(text)]


def only(text: str) -> dict[str, Any]:
    (group,) = debug.piecewise_writes(text)
    return group


BORDERS = """
    base u float64 10000
    base f float64 10000 input
    base g float64 100 input
    add u[101+(98:100,98:1)] f[101+(98:100,98:1)] 1.0
    copy u[0+(100:1)] g
    copy u[9900+(100:1)] g
    copy u[0+(100:100)] g
    copy u[99+(100:100)] g
"""


def test_interior_and_borders() -> None:
    group = only(BORDERS)
    assert (group["base"], group["strides"]) == ("u", [800, 8])
    assert group["generators"].splitlines() == [
        "shape [100,100]",
        "[1,1] -> [99,99]: i0",
        "[0,0] -> [1,100]: i1",
        "[99,0] -> [100,100]: i2",
        "[0,0] -> [100,1]: i3",
        "[0,99] -> [100,100]: i4",
    ]
    rows = debug.generators(group["generators"])["fitting"]
    assert rows.count("x1.") == 6  # three row programs, each used by one interval


def columns(count: int, rows: int, steps: int) -> str:
    lines = [f"copy a[{k}+({rows}:{count * steps},{steps}:{count})] {k}.0" for k in range(count)]
    return "\n".join([f"base a float32 {rows * steps * count}", *lines])


def test_intertwined_columns() -> None:
    assert only(columns(4, 1000, 200))["generators"].splitlines() == [
        "shape [1000,800]",
        *(f"[0,{k}] -> [1000,{797 + k}] step [1,4]: i{k}" for k in range(4)),
    ]


def test_short_rows_are_periods() -> None:
    """The two parts of ``a.reshape(-1, 9)``, of which one is written backwards."""
    text = "base a float32 9000\ncopy a[0+(1000:9,2:1)] 1.0\ncopy a[8+(1000:9,7:-1)] 2.0\n"
    assert only(text)["generators"].splitlines() == [
        "shape [9000]",
        "[0] -> [8993] step [9] width [2]: i0",
        "[2] -> [9000] step [9] width [7]: i1",
    ]


def test_rows_of_every_other_line_are_side_by_side() -> None:
    text = "base a float32 8000\ncopy a[0+(40:200,100:1)] 1.0\ncopy a[100+(40:200,100:1)] 2.0\n"
    assert only(text)["generators"].splitlines() == [
        "shape [40,200]",
        "[0,0] -> [40,100]: i0",
        "[0,100] -> [40,200]: i1",
    ]


def test_four_grids_of_two_axes() -> None:
    lines = [f"copy a[{100 * y + x}+(50:200,50:2)] {y}.{x}" for y in range(2) for x in range(2)]
    group = only("\n".join(["base a float64 10000", *lines, "copy a[0+(99:100,99:1)] 4.0"]))
    assert group["strides"] == [800, 8]
    assert "[1,0] -> [100,99] step [2,2]: i2" in group["generators"]


def test_groups_are_bounded() -> None:
    assert [len(group) for group in groups(columns(600, 2, 2))] == [256, 256, 88]


START = "base a float64 64\nbase b float64 64 input\nbase s float64 1\n"
LEFT, RIGHT = "copy a[0+(32:2)] 1.0", "copy a[1+(32:2)] 2.0"


@pytest.mark.parametrize(
    "between",
    [
        "add s[0+()] b[0+()] 1.0",  # nothing to do with either
        "del b",
        "copy b 3.0",
        "add.reduce axis=0 s[0+()] b",
        "sync a",
    ],
)
def test_what_may_stand_between(between: str) -> None:
    assert [0, 2] in groups("\n".join([START, LEFT, between, RIGHT]))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([START, LEFT, "add.reduce axis=0 s[0+()] a", RIGHT]),
        "\n".join([START, LEFT, "copy b a", RIGHT]),
        "\n".join([START, "copy a[0+(32:2)] b[0+(32:1)]", "copy b 3.0", RIGHT]),
        "\n".join([START, LEFT, "copy a[1+(32:2)] a[0+(32:2)]"]),
        "\n".join([START, "copy a[0+(32:2)] a[1+(32:2)]", RIGHT]),
        "\n".join([START, LEFT, "copy a[1+(32:2)] 2.0 where=b:bool@[0+(32:1)]"]),
        "\n".join([START, "copy a[0+(7:9,7:1)] 1.0", "copy a[0+(7:10)] 2.0"]),
        "\n".join([START, LEFT]),
        START,
    ],
)
def test_what_is_no_group(text: str) -> None:
    assert "a" not in [group["base"] for group in debug.piecewise_writes(text)]


def test_a_use_begins_a_new_group() -> None:
    use = "add.reduce axis=0 s[0+()] a"
    assert groups("\n".join([START, LEFT, RIGHT, use, RIGHT, LEFT])) == [[0, 1], [3, 4]]
    # In place, and over what was written before: the later write reads it.
    own = ["multiply a[0+(32:2)] a[0+(32:2)] 2.0", "multiply a[1+(32:2)] a[1+(32:2)] 3.0"]
    assert groups("\n".join([START, *own])) == [[0, 1]]
    assert groups("\n".join([START, *own, own[0]])) == [[0, 1]]


def random_writes(seed: int) -> str:
    """Slices of one array of one to three axes, some of them backwards."""
    chance = random.Random(seed)
    shape = [chance.randint(2, 9) for _ in range(1 + seed % 3)]
    shape[-1] = chance.choice((shape[-1], 64 + chance.randrange(20)))
    strides = [int(numpy.prod(shape[k + 1 :])) for k in range(len(shape))]
    lines = [f"base a {chance.choice(('int16', 'float64'))} {int(numpy.prod(shape))}"]
    for _ in range(chance.randint(2, 5)):
        offset, axes = 0, []
        for extent, stride in zip(shape, strides, strict=True):
            step = chance.choice((1, 1, 1, 2, 3))
            first = chance.randrange(extent) if chance.random() < 0.6 else 0
            many = chance.randint(1, (extent - 1 - first) // step + 1)
            many = (extent - 1 - first) // step + 1 if chance.random() < 0.6 else many
            forward = chance.random() < 0.8
            offset += stride * (first if forward else first + (many - 1) * step)
            axes.append(f"{many}:{stride * step * (1 if forward else -1)}")
        lines.append(f"copy a[{offset}+({','.join(axes)})] 1")
    return "\n".join(lines)


def expected_writers(text: str, instructions: list[int]) -> Any:
    """The last of the instructions to write each element of the base."""
    lines = text.splitlines()
    array = numpy.full(int(lines[0].split()[3]), "", object)
    for k in instructions:
        offset, axes = lines[1 + k].split()[1][2:-2].split("+(")
        pairs = [[int(number) for number in axis.split(":")] for axis in axes.split(",")]
        shape, strides = zip(*pairs, strict=True)
        item = array.itemsize
        view = as_strided(array[int(offset) :], shape, [item * stride for stride in strides])
        view[...] = f"i{k}"
    return array


def test_points_of_random_views() -> None:
    found = 0
    for seed in range(RANDOM_PROGRAMS):
        text = random_writes(seed)
        for group in debug.piecewise_writes(text):
            shape, generators = written(group["generators"])
            item = 2 if "int16" in text else 8
            writers = last_writer(generators, shape)
            expected = expected_writers(text, group["instructions"])
            strides = [stride // item for stride in group["strides"]]
            assert strides == [int(numpy.prod(shape[k + 1 :])) for k in range(len(shape))], text
            assert (writers.reshape(-1)[: expected.size] == expected).all(), text
            assert (writers.reshape(-1)[expected.size :] == "").all(), text
            debug.generators(group["generators"])
            found += len(group["instructions"])
    assert found > RANDOM_PROGRAMS


def moved(text: str, instructions: list[int]) -> str:
    """The program with a group's writes, and dels that stand between them, at the last of them."""
    lines = text.strip().splitlines()
    bases = [line for line in lines if line.startswith("base")]
    rest = [line for line in lines if not line.startswith("base")]
    first, last = instructions[0], instructions[-1]
    between = range(first, last + 1)
    dels = [k for k in between if rest[k].startswith("del")]
    stay = [k for k in between if k not in instructions and k not in dels]
    order = [*range(first), *stay, *instructions, *dels, *range(last + 1, len(rest))]
    return "\n".join([*bases, *(rest[k] for k in order)])


def test_writes_of_a_group_may_wait_for_the_last() -> None:
    found = 0
    for seed in range(RANDOM_PROGRAMS):
        # All bases are inputs: what new memory holds differs from run to run.
        text = re.sub(r"^(base .* 8)$", r"\1 input", random_program(seed, 16), flags=re.M)
        for instructions in groups(text):
            found += 1
            before, after = (
                debug.run(program, "singleton", executor="reference")
                for program in (text, moved(text, instructions))
            )
            assert before == after, f"{listed(instructions)}\n{text}"
    assert found > RANDOM_PROGRAMS // 10
