"""The partitioner `ilp` against exhaustive search and the engine's exact search.

HiGHS solves it, which is not needed otherwise. PROPERTY_PROGRAMS says how many random programs
are partitioned, 200 unless given.
"""

from __future__ import annotations

import os
import sys

import pytest

from fuse.combinator_programs import (
    PAPER,
    attention,
    hydrodynamics,
    multigrid,
    random_combinators,
)
from fuse.paper import FIG2, FIG3, FIG21
from fuse.random_programs import random_program
from hassium import debug
from hassium.wsp import combinators, costs, exhaustive, greedy, ilp

pytest.importorskip("highspy", reason="highspy is not installed (extra `test` has it)")

PAPER_MODELS = ["bohrium", "max_contract", "max_locality", "robinson"]
RANDOM_PROGRAMS = int(os.environ.get("PROPERTY_PROGRAMS", "200"))
PARTS = 10  # of the random programs, to be run side by side


def check_combinators(text: str) -> None:
    """All costs by `ilp` and by exhaustive search."""
    program = combinators.parse(text)
    for cost in costs.COSTS.values():
        best = costs.price(program, exhaustive.partition(program, cost), cost)
        answer = ilp.partition_combinators(program, cost, 60)
        assert answer["optimal"], text
        assert answer["cost"] == pytest.approx(best, rel=1e-6), (cost.name, text)
        assert costs.price(program, answer["blocks"], cost) == answer["cost"]


def check_instructions(text: str, model: str, unit: str = "bytes", tries_all: bool = True) -> None:
    """One model by `ilp`, by the engine's exact search and by exhaustive search."""
    exact = debug.partition(text, "optimal", model, unit=unit)
    answer = ilp.partition_instructions(text, model, unit, "full", 60)
    assert exact["optimal"], text
    assert answer["optimal"], text
    assert answer["cost"] == pytest.approx(exact["cost"], rel=1e-6), (model, text)
    if tries_all:
        blocks = exhaustive.partition_instance(debug.instance(text, model, unit=unit))
        assert debug.cost(text, blocks, model, unit=unit) == exact["cost"], (model, text)


@pytest.mark.parametrize("name", PAPER)
def test_examples(name: str) -> None:
    check_combinators(PAPER[name])


@pytest.mark.parametrize("model", PAPER_MODELS)
@pytest.mark.parametrize("name", ["FIG2", "FIG3", "FIG21"])
def test_programs_of_instructions(name: str, model: str) -> None:
    text = {"FIG2": FIG2, "FIG3": FIG3, "FIG21": FIG21}[name]
    check_instructions(text, model, tries_all=name == "FIG2")


@pytest.mark.parametrize("part", range(PARTS))
def test_random_combinators(part: int) -> None:
    for seed in range(part, RANDOM_PROGRAMS, PARTS):
        check_combinators(random_combinators(seed, 9))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_instructions_with_gathers(part: int) -> None:
    for seed in range(part, RANDOM_PROGRAMS, PARTS):
        text = random_program(seed, 9, gathers=True)
        check_instructions(text, "bohrium", "elements")
        for model in PAPER_MODELS:
            check_instructions(text, model)


# By program: its combinators, and the price in bytes from the top, from the bottom and at best.
SIZES = {
    attention: (67, [233_600, 141_184, 135_296]),
    hydrodynamics: (52, [38_560, 39_568, 35_984]),
    multigrid: (100, [118_040, 118_040, 118_040]),
}


@pytest.mark.parametrize("write", SIZES, ids=lambda write: write.__name__)
def test_programs_of_the_papers_sizes_are_proven(write: object) -> None:
    assert callable(write)
    members, prices = SIZES[write]
    program = combinators.parse(write())
    assert len(program.members) == members
    for cost in costs.COSTS.values():
        answer = ilp.partition_combinators(program, cost, 60)
        assert answer["optimal"]
        both = [costs.price(program, greedy.partition(program, b), cost) for b in (False, True)]
        assert answer["cost"] <= min(both)
        if cost.name == "bytes":
            assert [*both, answer["cost"]] == prices


def test_no_time_is_the_better_greedy_answer() -> None:
    program, cost = combinators.parse(attention()), costs.find("bytes")
    answer = ilp.partition_combinators(program, cost, 0)
    assert answer["cost"] == costs.price(program, greedy.cheaper(program, cost), cost)
    assert not answer["optimal"]
    assert 0 <= answer["bound"] <= answer["cost"]


def test_rows_that_tighten_the_relaxation_lose_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ilp, "MOMENT", 0.0)
    for seed in range(40):
        check_combinators(random_combinators(seed, 9))


def test_without_highs_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ValueError, match="needs the package highspy: pip install highspy"):
        ilp.partition_instructions(FIG3, "bohrium", "bytes", "full", 10)
    with pytest.raises(ValueError, match="'machine' is no integer program"):
        ilp.partition_instructions(FIG3, "machine", "bytes", "full", 10)
