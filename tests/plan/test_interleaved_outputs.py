"""Outputs whose elements take turns fill whole lines, which go to memory past the caches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug

Code = Callable[[Any, Any, Any], None]


def different(lanes: int) -> Code:
    def code(xp: Any, x: Any, out: Any) -> None:
        made = (x + 1, x * 2 - 3, xp.minimum(x, 7), xp.square(x - 4), -x)
        for lane in range(lanes):
            out[:, lane::lanes] = made[lane][:, lane::lanes]

    return code


def compact(xp: Any, x: Any, out: Any) -> None:
    half = x[:, : x.shape[1] // 2]
    out[:, 0::2] = half * 2
    out[:, 1::2] = half - 5


def by_rows_too(xp: Any, x: Any, out: Any) -> None:
    c = x[: x.shape[0] // 2, : x.shape[1] // 2]
    out[0::2, 0::2] = c
    out[1::2, 0::2] = c * 3
    out[0::2, 1::2] = c + 1
    out[1::2, 1::2] = c - 2


def read_later(xp: Any, x: Any, out: Any) -> None:
    out[:, 0::2] = x[:, 0::2] * 2
    out[:, 1::2] = x[:, 1::2] + out[:, 0::2]


def masked(xp: Any, x: Any, out: Any) -> None:
    xp.add(x[:, 0::2], 1, out=out[:, 0::2], where=x[:, 0::2] > 20)
    out[:, 1::2] = x[:, 1::2]


def in_place(xp: Any, x: Any, out: Any) -> None:
    out[:, 0::2] *= 3
    out[:, 1::2] -= x[:, 1::2]


CODES: dict[str, Code] = {
    **{f"different-{lanes}": different(lanes) for lanes in (2, 3, 4, 5)},
    **{f.__name__: f for f in (compact, by_rows_too, read_later, masked, in_place)},
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i2", "i1", "c16"])
@pytest.mark.parametrize("name", CODES)
def test_values_are_numpys(name: str, dtype: str) -> None:
    code = CODES[name]
    # 20 MB of output and some bytes, whose rows end within a tile.
    columns = 60 * 11
    rows = 20_000_000 // (columns * numpy.dtype(dtype).itemsize) // 2 * 2
    x = (numpy.arange(rows * columns) % 37).astype(dtype).reshape(rows, columns)
    expected = numpy.ones_like(x)
    code(numpy, x, expected)
    ours = np.array(x)
    for threads in (1, 3):
        out = np.ones(x.shape, dtype)
        np.flush()
        with np.config(threads=threads, parallelize="on", eager_elements=0, verify=True):
            code(np, ours, out)
            assert numpy.asarray(out).tobytes() == expected.tobytes()


def test_grids_of_unequal_programs_are_one_nest_that_streams(cold_cache: None) -> None:
    x, out = np.ones((2000, 4000)), np.zeros((2000, 4000))
    np.flush()
    with debug.capture() as flushes:
        different(4)(np, x, out)
        np.flush()
    (flush,) = flushes
    assert flush.plan.count("nest (") == 1
    assert "stream" in flush.plan


@pytest.mark.parametrize("lanes", [2, 4])
def test_what_is_read_again_soon_stays_in_the_caches(lanes: int, cold_cache: None) -> None:
    x, out = np.ones((200, 400)), np.zeros((200, 400))
    np.flush()
    with debug.capture() as flushes:
        different(lanes)(np, x, out)
        np.flush()
    assert not any("stream" in flush.plan for flush in flushes)
