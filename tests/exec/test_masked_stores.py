"""Stores under a mask: what it leaves out is neither written nor disturbed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
import hassium as np
from array_pairs import plain

pytestmark = pytest.mark.usefixtures("simd_level")

DTYPES = ["?", "u1", "i2", "f2", "f4", "i8", "f8", "c8", "c16"]
SIZES = [0, 1, 3, 7, 8, 9, 31, 64, 65, 127, 200, 1000]

VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x[5:-3],
    "every second": lambda x: x[1::2],
    "every third": lambda x: x[::3],
    "backwards": lambda x: x[-2:3:-1],
}


def masks(n: int) -> dict[str, numpy.ndarray]:
    numbers = numpy.random.default_rng(n).random(n)
    whole = {"none": numbers > 1, "all": numbers < 1, "few": numbers < 0.02, "half": numbers < 0.5}
    return whole | {"every second": numpy.arange(n) % 2 == 0, "first": numpy.arange(n) < n // 3}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_only_what_is_selected_is_written(dtype: str, view: str) -> None:
    for size in SIZES:
        memory = (numpy.arange(3 * size + 8) % 50).astype(dtype)
        n = VIEWS[view](memory).size
        values = (numpy.arange(n) % 7 + 50).astype(dtype)
        for name, mask in masks(n).items():
            whole = hassium.array(memory)
            expected = memory.copy()
            ours, theirs = VIEWS[view](whole), VIEWS[view](expected)
            ours[hassium.array(mask)] = 1
            theirs[mask] = 1
            numpy.testing.assert_array_equal(plain(whole), expected, err_msg=f"{size} {name}")
            hassium.copyto(ours, values, where=hassium.array(mask))
            numpy.copyto(theirs, values, where=mask)
            numpy.testing.assert_array_equal(plain(whole), expected, err_msg=f"{size} {name}")


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16"])
def test_results_and_rows(dtype: str) -> None:
    values = (numpy.arange(37 * 41) % 90 + 1).astype(dtype).reshape(37, 41)
    mask = values.real % 3 == 1
    for ours, theirs, where in (
        (hassium.array(values), values.copy(), mask),
        (hassium.array(values).T, values.copy().T, mask.T),
        (hassium.array(values)[:, 1:30:2], values.copy()[:, 1:30:2], mask[:, 1:30:2]),
        (hassium.array(values)[::-1], values.copy()[::-1], mask[0]),
    ):
        hassium.multiply(ours, 2, out=ours, where=hassium.array(where))
        numpy.multiply(theirs, 2, out=theirs, where=where)
        numpy.testing.assert_array_equal(plain(ours), theirs)
        numpy.testing.assert_array_equal(
            plain(ours.sum(axis=0, where=hassium.array(where))), theirs.sum(axis=0, where=where)
        )


VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "number": lambda np, x: 7,
    "one": lambda np, x: np.array([[7.5]]),
    "few": lambda np, x: np.array([1.5, 2.5, 3.5]),
    "list": lambda np, x: [1, 2],
    "as many": lambda np, x: np.arange(24) * 0.5,
    "itself backwards": lambda np, x: x[::-1, ::-1],
    "itself turned": lambda np, x: x.T,
    "more": lambda np, x: np.arange(100.0),
}


@pytest.mark.parametrize("kind", ["?", "i8", "f4"])
@pytest.mark.parametrize("values", VALUES)
def test_putmask_repeats_what_it_puts(values: str, kind: str) -> None:
    def program(np: Any) -> Any:
        x = np.arange(24.0).reshape(4, 6) * 1.0
        mask = (np.arange(24) % 3).reshape(4, 6).astype(kind)
        np.putmask(x, mask, VALUES[values](np, x))
        return x

    numpy.testing.assert_array_equal(program(np).to_numpy(), program(numpy))
