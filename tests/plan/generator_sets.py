"""Sets of generators: those of the paper, random ones, and what they mean."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

import numpy
from numpy.typing import NDArray

from hassium.withloop.dumps import Axis, Grid, Nest, Place, Segment

FIG3 = """
    shape [320,400]
    [0,0] -> [140,200]: op1
    [140,0] -> [320,200] step [1,2]: op1
    [140,1] -> [320,200] step [1,2]: op2
    [0,200] -> [320,400] step [9,1] width [2,1]: op2
    [2,200] -> [320,400] step [9,1] width [7,1]: op1
"""
# The upper left corner of Fig. 3 as Fig. 7 has it.
FIG7 = FIG3.replace(
    "[0,0] -> [140,200]: op1",
    "[0,0] -> [140,200] step [17,1] width [15,1]: op1\n"
    "[15,0] -> [140,200] step [17,1] width [2,1]: op2",
)


def bands(steps: Sequence[int], rows: int = 2000, columns: int = 100) -> str:
    """Cubes side by side, each with two kinds of rows that alternate within its own step."""
    lines = [f"shape [{rows},{columns * len(steps)}]"]
    for k, step in enumerate(steps):
        left, right, width = columns * k, columns * (k + 1), (step + 1) // 2
        for first, many, op in ((0, width, "a"), (width, step - width, "b")):
            lines.append(
                f"[{first},{left}] -> [{rows},{right}] step [{step},1] width [{many},1]: {op}{k}"
            )
    return "\n".join(lines)


def random_axis(chance: random.Random, extent: int) -> tuple[int, int, int, int]:
    if chance.random() < 0.4:
        return 0, extent, 1, 1
    lower = chance.choice((0, chance.randrange(extent)))
    upper = chance.choice((extent, chance.randint(lower, extent)))
    step = chance.choice((1, 1, 2, 2, 3, 4, 5, extent + 3))
    return lower, upper, step, chance.randint(1, chance.choice((1, step + 1)))


def intertwined(chance: random.Random, extent: int) -> list[tuple[int, int, int, int]]:
    """Grids of one step, which cover an axis between them or leave holes."""
    step = chance.randint(2, 4)
    firsts = chance.sample(range(step), chance.randint(1, step))
    return [(first, extent, step, 1) for first in sorted(firsts)]


def random_set(seed: int) -> str:
    """One to four axes, overlaps, holes, steps and widths of all kinds."""
    chance = random.Random(seed)
    rank = 1 + seed % 4
    shape = [chance.randint(1, (60, 16, 9, 6)[rank - 1]) for _ in range(rank)]
    ops = [f"op{k}" for k in range(chance.randint(1, 4))]
    boxes = []
    for _ in range(chance.randint(1, (8, 7, 5, 4)[rank - 1])):
        axes = [random_axis(chance, extent) for extent in shape]
        many = chance.randrange(rank)
        choices = intertwined(chance, shape[many]) if chance.random() < 0.4 else [axes[many]]
        boxes += [[*axes[:many], choice, *axes[many + 1 :]] for choice in choices]
    lines = [f"shape {listed(shape)}"]
    for box in boxes:
        lower, upper, step, width = (listed(column) for column in zip(*box, strict=True))
        lines.append(f"{lower} -> {upper} step {step} width {width}: {chance.choice(ops)}")
    return "\n".join(lines)


def listed(values: Iterable[int]) -> str:
    return f"[{','.join(map(str, values))}]"


def last_writer(grids: Iterable[Grid], shape: Place) -> NDArray[numpy.object_]:
    """The operation of each point by plain assignments in order; the empty string in holes."""
    array = numpy.full(shape, "", object)
    for grid in grids:
        picks = [
            [x for x in range(lower, upper) if offset <= (x - lower) % step < offset + width]
            for lower, upper, (offset, width, step) in zip(
                grid.lower, grid.upper, grid.axes, strict=True
            )
        ]
        array[numpy.ix_(*picks)] = grid.op
    return array


def written(text: str) -> tuple[Place, list[Grid]]:
    """A set in its text form, as it is written: lower bounds, upper bounds, steps and widths."""
    shape: Place = ()
    found = []
    for line in text.strip().splitlines():
        words = line.split()
        if words[0] == "shape":
            shape = numbers(words[1])
            continue
        named = [name for name in ("step", "width") if name in words]
        lists = {name: numbers(words[words.index(name) + 1]) for name in named}
        lower, upper = numbers(words[0]), numbers(words[2])
        ones = (1,) * len(shape)
        axes = zip(lists.get("width", ones), lists.get("step", ones), strict=True)
        found.append(Grid(words[-1], lower, upper, tuple(Axis(0, w, s) for w, s in axes)))
    return shape, found


def numbers(word: str) -> Place:
    return tuple(int(number) for number in word.strip("[]:").split(",") if number)


def visits(nest: Nest, segment: Segment) -> Iterator[tuple[Place, str]]:
    """The points of a segment as an executor of the nest meets them, with their operations."""

    def walk(child: str, outer: Place) -> Iterator[tuple[Place, str]]:
        if child not in nest.nodes:
            yield outer, child
            return
        corner = segment.lower[len(outer)]
        for lower, upper, period, blocks in nest.nodes[child]:
            for start in range(lower, upper, period):
                for begin, end, inner in blocks:
                    for x in range(start + begin, start + end):
                        yield from walk(inner, (*outer, corner + x))

    return walk(segment.root, ())
