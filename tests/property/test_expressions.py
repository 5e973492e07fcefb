"""Random expressions have the same bits however they are cut and run, and NumPy's dtypes.

As many as PROPERTY_PROGRAMS (100) says, others than those of every run with PROPERTY_SEED.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy
import pytest

import hassium
from property.expressions import Program, same_bits
from simd_levels import LEVELS

COUNT = int(os.environ.get("PROPERTY_PROGRAMS", "100"))
SEED = int(os.environ.get("PROPERTY_SEED", "0"))
ENGINES: list[dict[str, Any]] = [
    {"partitioner": "singleton"},
    {"lazy": False},
    {"threads": 3},
    {"verify": True},
]


def quiet(program: Program, library: Any) -> list[Any]:
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return program.run(library)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("part", range(4))
def test_expressions_do_not_depend_on_the_engine(level: str, part: int) -> None:
    for seed in range(SEED * 1_000_000 + part * COUNT, SEED * 1_000_000 + (part + 1) * COUNT):
        program = Program(seed)
        with hassium.config(simd=level):
            usual = quiet(program, hassium)
            for engine in ENGINES:
                with hassium.config(**engine):
                    other = quiet(program, hassium)
                for tree, a, b in zip([*program.trees, "rows"], usual, other, strict=False):
                    assert same_bits(a, b), (seed, engine, tree, a, b)
        if level == LEVELS[-1]:
            for tree, a, b in zip(program.trees, usual, quiet(program, numpy), strict=False):
                assert (a.dtype, a.shape) == (b.dtype, b.shape), (seed, tree)
