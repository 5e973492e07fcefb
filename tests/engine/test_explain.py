"""`hassium.explain()`: what fused, what did not and why, tied to the lines of the program."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy

import hassium as np


def here(offset: int = 0) -> str:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{Path(__file__)}:{frame.f_back.f_lineno + offset}"


def test_a_chain_is_one_block_tied_to_its_lines() -> None:
    x = np.arange(1000.0)
    with np.config(lazy_scalars="on"), np.explain() as told:
        y = x * 2.0 + 1.0
        lines = [here(-1), here(1)]
        total = (y * y).sum()
        del y
    assert float(total) == sum((2.0 * k + 1.0) ** 2 for k in range(1000))
    (flush,) = told.flushes
    (block,) = flush.blocks
    assert block.operations == 4
    assert len(block.contracted) == 3
    assert {site for site in block.sites if site} == set(lines)
    text = str(told)
    assert "4 operations in 1 block, " in text
    assert "never in memory" in text
    for line in lines:
        assert line in text


def test_what_does_not_fuse_says_why() -> None:
    """The second sum needs the first one whole, and other lengths share no loop."""
    x = np.arange(100000.0)
    with np.explain() as told:
        mean = x.sum() / 100000.0
        spread = ((x - mean) * (x - mean)).sum()
    assert float(spread) > 0
    (flush,) = told.flushes
    assert len(flush.blocks) > 1
    assert flush.apart
    for pair in flush.apart:
        assert pair.reason
        assert pair.first != pair.second
        assert __file__ in pair.first_line
    assert "stay apart" in str(told)


def test_fallbacks_eager_and_direct_operations_are_told() -> None:
    shared = np.arange(1000.0)
    kept = numpy.asarray(shared)
    with np.explain() as told:
        shared += 1.0
        where = here(-1)
        np.median(shared)
        small = np.ones(3) + 1.0
    assert small.tolist() == [2.0] * 3
    assert kept[0] == 1.0
    text = str(told)
    assert f"memory is shared with NumPy: {where}" in text
    assert f"has no native form and ran as NumPy's: {here(-6)}" in text
    assert "ran at the call" in text


def test_nothing_is_told_as_nothing_and_lines_end_with_the_body() -> None:
    with np.explain() as told:
        pass
    assert str(told) == "nothing ran"
    with np.debug.capture() as flushes:
        np.arange(100.0) + 1.0
    assert len(flushes) <= 1


def test_a_notebook_gets_a_picture() -> None:
    x = np.arange(1000.0)
    with np.explain() as told:
        y = x + 1.0
    assert float(y[0]) == 1.0
    page = told._repr_html_()
    assert page.startswith("<pre>")
    assert "<svg" in page
    assert "&lt;" not in page.partition("</pre>")[2].partition("<svg")[0]
