"""Random generators through every phase, against plain assignments in writing order.

PROPERTY_PROGRAMS says how many sets are taken through the phases, 400 unless given.
"""

from __future__ import annotations

import os
import random

import numpy
import pytest

from hassium import debug
from hassium.withloop.command import PHASES
from hassium.withloop.dumps import CUBE, grids, parse_nest, place
from plan.generator_sets import last_writer, random_set, visits, written

RANDOM_SETS = int(os.environ.get("PROPERTY_PROGRAMS", "400"))
PARTS = 10  # of the random sets, to be run side by side
SEGMENTATIONS = ("auto", "all", "cubes", "generators")


def check_phases(text: str, segmentation: str, tiles: list[list[int]]) -> None:
    """The product of each phase means what the set does, and the last one is in canonical order."""
    shape, generators = written(text)
    expected = last_writer(generators, shape)
    dumps = debug.generators(text, segmentation, tiles)
    assert tuple(dumps) == PHASES
    for phase, dump in dumps.items():
        assert (last_writer(grids(dump), shape) == expected).all(), phase
    nest = parse_nest(dumps["fitting"])
    found = numpy.full(shape, "", object)
    for segment in nest.segments:
        points = list(visits(nest, segment))
        places = [place for place, _ in points]
        assert places == sorted(set(places))
        for at, op in points:
            assert segmentation == "generators" or not found[at]
            found[at] = op
    assert (found == expected).all()
    if segmentation != "generators":
        check_boxes(dumps["tiling"], shape)


def check_boxes(dump: str, shape: tuple[int, ...]) -> None:
    """No two cubes overlap."""
    count = numpy.zeros(shape, int)
    for found in filter(None, map(CUBE.match, dump.splitlines())):
        box = zip(place(found[1]), place(found[2]), strict=True)
        count[tuple(slice(lower, upper) for lower, upper in box)] += 1
    assert count.max(initial=0) <= 1


@pytest.mark.parametrize("part", range(PARTS))
def test_every_phase_keeps_the_last_writer(part: int) -> None:
    for seed in range(part, RANDOM_SETS, PARTS):
        text = random_set(seed)
        shape, _ = written(text)
        chance = random.Random(seed)
        tiles = [
            [chance.randint(1, extent + 1) for extent in shape]
            for _ in range(chance.choice((0, 0, 1, 2)))
        ]
        segmentation = SEGMENTATIONS[seed // 4 % 4]
        try:
            check_phases(text, segmentation, tiles)
        except Exception as error:
            error.add_note(f"seed {seed}, {segmentation}, tiles {tiles}:\n{text}")
            raise
