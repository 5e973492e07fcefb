"""A few inputs of the fuzz target in every run; PROPERTY_PROGRAMS and PROPERTY_SEED say which."""

from __future__ import annotations

import os
import random

import pytest

from fuzz import fuzz_text, text_programs

COUNT = int(os.environ.get("PROPERTY_PROGRAMS", "100")) * 2
SEED = int(os.environ.get("PROPERTY_SEED", "0"))

pytestmark = pytest.mark.timeout(300 + 10 * COUNT)  # seconds; an input runs two dozen ways


def inputs(count: int, seed: int) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(dice.randrange(20, fuzz_text.LONGEST)) for _ in range(count)]


@pytest.mark.parametrize("part", range(4))
def test_every_way_of_running_a_program_gives_the_same_bits(part: int) -> None:
    for data in inputs(COUNT // 4, 4 * SEED + part):
        text_programs.check(data)


def test_any_text_is_a_program_or_an_error_with_words() -> None:
    for data in inputs(COUNT, SEED + 1):
        text_programs.check_words(data)


def test_inputs_stand_for_programs_worth_running() -> None:
    """Most statements that the bytes choose are kept, and all kinds of them occur."""
    texts = [text_programs.program(data) for data in inputs(60, 1)]
    made = [len(text_programs.statements(text)) for text in texts]
    assert sum(made) / len(made) > 5
    whole = "\n".join(texts)
    for word in (".reduce", ".accumulate", "take", "where=", "del ", "sync ", ":-1", "complex128"):
        assert word in whole, word
    assert any(map(text_programs.exact, texts))


def test_a_difference_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "base a float64 24 input\nadd a a 1\n"
    assert text_programs.differences(text) == []
    run = text_programs.debug.run

    def wrong(text: str, partitioner: str = "greedy", **way: str) -> object:
        other = text.replace("a 1", "a 2") if partitioner == "linear" else text
        return run(other, partitioner, **way)

    monkeypatch.setattr(text_programs.debug, "run", wrong)
    assert text_programs.differences(text)
