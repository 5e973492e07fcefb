"""`optimal` against an integer program solved by HiGHS, which is not needed otherwise."""

from __future__ import annotations

import pytest

from fuse.paper import FIG2, FIG3, FIG21
from fuse.random_programs import random_program
from hassium import debug

pytest.importorskip("highspy", reason="highspy is not installed (extra `test` has it)")

PAPER_MODELS = ["bohrium", "max_contract", "max_locality", "robinson"]


def check(text: str, model: str) -> None:
    from fuse.integer_program import IntegerProgram

    ours = debug.partition(text, "optimal", model)
    assert ours["optimal"]
    least = IntegerProgram(debug.instance(text, model)).least()
    assert ours["cost"] == pytest.approx(least, rel=1e-6, abs=1e-6), text


@pytest.mark.parametrize("model", PAPER_MODELS)
@pytest.mark.parametrize("name", ["FIG2", "FIG3", "FIG21"])
def test_paper(name: str, model: str) -> None:
    check({"FIG2": FIG2, "FIG3": FIG3, "FIG21": FIG21}[name], model)


@pytest.mark.parametrize("model", PAPER_MODELS)
def test_random_programs(model: str) -> None:
    for seed in range(20):
        check(random_program(seed, 8), model)
