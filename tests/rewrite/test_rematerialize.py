"""What is cheap to make is made again where it is wanted later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import hassium as np


@pytest.fixture(autouse=True)
def always(cold_cache: None) -> Iterator[None]:
    with np.config(rematerialize="on"):
        yield


def pulls(xp: Any, x: Any, y: Any) -> Any:
    """How bodies pull each other, with a diagonal that is mended in between."""
    dx, dy = x[:, None] - x, y[:, None] - y
    far = xp.sqrt(dx * dx + dy * dy)
    far.reshape(-1)[:: x.size + 1] = 1.0
    pull = x / (far * far * far)
    return pull * dx, (pull * dy).sum(axis=0), far.max(axis=1)


def twice(xp: Any, x: Any, y: Any) -> Any:
    """Three levels, each of which wants the same products."""
    both = x[:, None] * y
    first = both + 1
    first[1:] -= both[:-1]
    second = first * both
    second[:, 0] = 7
    return second - both, (second * both).sum()


def changed(xp: Any, x: Any, y: Any) -> Any:
    """What the differences are made of changes before they are wanted again."""
    x = x.copy()
    d = x[:, None] - y
    q = d * d
    q[0] = 3
    x += 1
    return q * d, x


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n", [9, 70])
@pytest.mark.parametrize("code", [pulls, twice, changed], ids=lambda code: code.__name__)
def test_the_same_results(code: Any, n: int, threads: int) -> None:
    x, y = numpy.random.default_rng(1).integers(1, 60, (2, n)) / 4
    own = np.array(x), np.array(y)
    with np.config(threads=threads, parallelize="on"):
        for _ in range(2):
            for a, b in zip(code(numpy, x, y), code(np, *own), strict=True):
                assert numpy.asarray(b) == pytest.approx(a, rel=1e-14)
    with np.config(rematerialize="off", cache=False):
        whole = [numpy.asarray(part) for part in code(np, *own)]
    for a, b in zip(whole, code(np, *own), strict=True):
        assert a.tobytes() == numpy.asarray(b).tobytes()


def moved(remake: str) -> int:
    x, y = (np.array(numpy.random.default_rng(k).random(100)) for k in (1, 2))
    with np.config(rematerialize=remake):
        np.flush()
        np.reset_stats()
        found = pulls(np, x, y)
        np.flush()
        assert len(found) == 3
        return int(np.stats()["bytes_moved"])


def test_distances_stay_out_of_memory() -> None:
    matrix = 100 * 100 * 8
    # Two matrices less are written and read.
    assert moved("off") - moved("on") > 3.9 * matrix
