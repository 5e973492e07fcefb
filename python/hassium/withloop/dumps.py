"""Parser of the phases' dumps (docs/withloops.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

Place = tuple[int, ...]


class Axis(NamedTuple):
    """Positions ``x`` of a box with ``(x - lower - offset) mod step < width``."""

    offset: int
    width: int
    step: int


class Grid(NamedTuple):
    """Elements written by one operation: a grid in a box, with an `Axis` for each axis."""

    op: str
    lower: Place
    upper: Place
    axes: tuple[Axis, ...]


class Block(NamedTuple):
    """Positions ``begin <= x < end`` of each period: a node of the next axis, or an operation."""

    begin: int
    end: int
    child: str


class Interval(NamedTuple):
    lower: int
    upper: int
    period: int
    blocks: tuple[Block, ...]


class Segment(NamedTuple):
    lower: Place
    upper: Place
    root: str


class Nest(NamedTuple):
    """Nodes by name; an interval counts positions from the lower corner of its segment."""

    segments: list[Segment]
    nodes: dict[str, list[Interval]]


BOX = r"\[([\d,]*)\] -> \[([\d,]*)\]"
GENERATOR = re.compile(rf"{BOX}(?: step \[([\d,]*)\])?(?: width \[([\d,]*)\])?: (\w+)$")
CUBE = re.compile(rf"cube {BOX}$")
GRID = re.compile(r"    (\w+):((?: \(\d+,\d+,\d+\))*)$")
SEGMENT = re.compile(rf"segment {BOX}(?:: (\S+))?$")
INTERVAL = re.compile(r"    \[(\d+),(\d+)\)(?: period (\d+))?:(.*)$")


def place(text: str) -> Place:
    return tuple(int(word) for word in text.split(",") if word)


def parse_nest(dump: str) -> Nest:
    """Parses the dump of merging, optimisation or fitting."""
    nest = Nest([], {})
    intervals: list[Interval] = []
    for line in dump.splitlines():
        if found := SEGMENT.match(line):
            nest.segments.append(Segment(place(found[1]), place(found[2]), found[3]))
        elif found := INTERVAL.match(line):
            words = found[4].split()
            if found[3] is None:
                blocks = [Block(0, 1, words[0])]
            else:
                spans = [word[1:].split(":") for word in words[::2]]
                blocks = [
                    Block(int(begin), int(end), child)
                    for (begin, end), child in zip(spans, words[1::2], strict=True)
                ]
            lower, upper, period = int(found[1]), int(found[2]), int(found[3] or 1)
            intervals.append(Interval(lower, upper, period, tuple(blocks)))
        else:
            intervals = nest.nodes[line] = []
    return nest


def generator(line: str) -> Grid:
    found = GENERATOR.match(line)
    if not found:
        raise ValueError(f"not a line of a dump: '{line}'")
    lower, upper = place(found[1]), place(found[2])
    ones = ",".join("1" for _ in lower)
    steps, widths = place(found[3] or ones), place(found[4] or ones)
    axes = tuple(Axis(0, width, step) for width, step in zip(widths, steps, strict=True))
    return Grid(found[5], lower, upper, axes)


def grids_of_nest(nest: Nest) -> Iterator[Grid]:
    """Yields grids in execution order, except that periods run one after another."""

    def walk(child: str, outer: list[tuple[int, int, Axis]], segment: Segment) -> Iterator[Grid]:
        if child not in nest.nodes:
            at = list(zip(segment.lower, outer, strict=True))
            lowers = tuple(corner + lower for corner, (lower, _, _) in at)
            uppers = tuple(corner + upper for corner, (_, upper, _) in at)
            yield Grid(child, lowers, uppers, tuple(axis for _, _, axis in outer))
            return
        for lower, upper, period, blocks in nest.nodes[child]:
            for begin, end, inner in blocks:
                axis = Axis(begin, end - begin, period)
                yield from walk(inner, [*outer, (lower, upper, axis)], segment)

    for segment in nest.segments:
        yield from walk(segment.root, [], segment)


def grids(dump: str) -> list[Grid]:
    """Returns the grids in the dump of any phase; where two overlap, the later one writes."""
    lines = [line for line in dump.splitlines() if not line.startswith("shape ")]
    if any((found := SEGMENT.match(line)) and found[3] for line in lines):
        return list(grids_of_nest(parse_nest(dump)))
    found_grids: list[Grid] = []
    box: tuple[Place, Place] = (), ()
    for line in lines:
        if found := CUBE.match(line):
            box = place(found[1]), place(found[2])
        elif found := GRID.match(line):
            triples = re.findall(r"\((\d+),(\d+),(\d+)\)", found[2])
            axes = tuple(Axis(*map(int, triple)) for triple in triples)
            found_grids.append(Grid(found[1], *box, axes))
        elif not SEGMENT.match(line):
            found_grids.append(generator(line))
    return found_grids
