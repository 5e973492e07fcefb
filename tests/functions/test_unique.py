"""unique: elements that differ, of integers by counting them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest

import hassium as np


def asked() -> int:
    return int(np.stats()["fallbacks"].get("unique", {"count": 0})["count"])


def same(found: Any, wanted: Any) -> None:
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    assert len(found) == len(wanted)
    for f, w in zip(found, wanted, strict=True):
        assert type(f) is np.ndarray
        assert f.dtype == w.dtype
        numpy.testing.assert_array_equal(numpy.asarray(f), w)


SPANS = {
    "i1": [(-128, 128), (0, 3)],
    "u1": [(0, 256), (250, 256)],
    "i2": [(-3000, 3000), (30_000, 32_768)],
    "u2": [(65_000, 65_536)],
    "i4": [(-(2**31), -(2**31) + 900), (0, 4999), (0, 5001), (5, 6)],
    "u4": [(2**32 - 5, 2**32)],
    "i8": [(-(2**63), -(2**63) + 9), (2**63 - 9, 2**63 - 1), (-5, 5), (0, 2**62)],
    "u8": [(2**63 - 9, 2**63 - 1), (2**64 - 9, 2**64 - 1), (0, 9)],
}


@pytest.mark.parametrize(("dtype", "span"), [(d, s) for d, spans in SPANS.items() for s in spans])
@pytest.mark.parametrize("shape", [(5000,), (50, 100), (1,), (0,)])
def test_integers(dtype: str, span: tuple[int, int], shape: tuple[int, ...]) -> None:
    x = numpy.random.default_rng(2).integers(*span, shape, dtype)
    for view in (np.array(x), np.array(x[::-1])[::-1]):
        for inverse, counts in itertools.product((False, True), repeat=2):
            options = {"return_inverse": inverse, "return_counts": counts}
            same(np.unique(view, **options), numpy.unique(x, **options))


def test_who_is_asked() -> None:
    x = np.arange(5000) % 77
    before = asked()
    same(
        np.unique(x - 40, return_counts=True),
        numpy.unique(numpy.asarray(x - 40), return_counts=True),
    )
    assert asked() == before
    others: list[dict[str, Any]] = [{"return_index": True}, {"axis": 0}]
    for options in others:
        same(np.unique(x, **options), numpy.unique(numpy.asarray(x), **options))
    same(np.unique(x * 0.5), numpy.unique(numpy.asarray(x) * 0.5))
    same(np.unique(x * 10_000_000), numpy.unique(numpy.asarray(x) * 10_000_000))
    assert asked() == before + 4
    same(np.unique(x, equal_nan=False), numpy.unique(numpy.asarray(x)))
    assert asked() == before + 4
