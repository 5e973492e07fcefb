"""Reductions of fewer than eight elements, as of coordinates, combine in NumPy's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

SETTINGS: list[dict[str, Any]] = [
    {},
    {"eager_elements": 0},
    {"eager_elements": 0, "threads": 2},
    {"eager_elements": 1 << 20},
    {"executor": "reference"},
]
FOLDS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda m, x, y: x.sum(axis=-1),
    "prod": lambda m, x, y: x.prod(axis=-1),
    "mean": lambda m, x, y: x.mean(axis=-1),
    "var": lambda m, x, y: x.var(axis=-1),
    "squares": lambda m, x, y: (x * x).sum(axis=-1),
    "products": lambda m, x, y: (x * y).sum(axis=-1),
    "distances": lambda m, x, y: m.sqrt(((x - y) ** 2).sum(axis=-1)),
    "deviations": lambda m, x, y: ((x - x.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1),
    "pairs": lambda m, x, y: ((x[:9, None] - y[None, :9]) ** 2).sum(axis=-1),
    "of one row": lambda m, x, y: x[0].sum() + x[-1].sum(),
    "weighted": lambda m, x, y: (x * y[0]).sum(axis=-1) / y[0].sum(),
    "several": lambda m, x, y: x.sum(axis=-1) * x.max(axis=-1) + x.prod(axis=-1),
}


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("fold", FOLDS)
def test_bits(fold: str, dtype: str, settings: dict[str, Any]) -> None:
    if dtype == "c16" and fold not in ("sum", "mean", "of one row"):
        pytest.skip("products of complex numbers round otherwise")
    # NumPy counts the parts of complex numbers.
    for n in range(1, 4 if dtype == "c16" else 8):
        for rows in (1, 20, 3000):
            draw = numpy.random.default_rng(rows + n)
            x, y = (draw.normal(size=(rows, n)).astype(dtype) for _ in "xy")
            if dtype == "c16":
                x = x * (1 + 2j)
            wanted = FOLDS[fold](numpy, x, y)
            with np.config(**settings):
                found = numpy.asarray(FOLDS[fold](np, np.array(x), np.array(y)))
            assert found.dtype == wanted.dtype
            assert found.tobytes() == wanted.tobytes(), (n, rows)


def test_sums_of_halves_round_once() -> None:
    x = numpy.random.default_rng(3).normal(size=(500, 5)).astype("f2")
    assert numpy.array(np.array(x).sum(axis=1)).tobytes() == x.sum(axis=1).tobytes()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16"])
def test_sums_of_rows_begin_with_zero(dtype: str, settings: dict[str, Any]) -> None:
    with np.config(**settings):
        for n in (1, 2, 3, 7, 8, 20, 64, 700, 5000):
            zeros = numpy.full((40, n), -0.0, dtype)
            x = np.array(zeros)
            for found in (x.sum(axis=1), x[3].sum(), (x * np.ones(n, dtype)).sum(axis=1), x.sum()):
                assert not numpy.signbit(numpy.asarray(found).real).any()
            assert not numpy.signbit(numpy.asarray(x.mean(axis=1)).real).any()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "c8"])
@pytest.mark.parametrize("lines", [1, 2, 3, 9, 40, 700])
def test_sums_of_columns_begin_with_zero(dtype: str, lines: int, settings: dict[str, Any]) -> None:
    with np.config(**settings):
        for columns in (1, 3, 4, 17, 70, 1100):
            zeros = -numpy.zeros((lines, columns), dtype)
            x = np.array(zeros)
            deep = np.array(numpy.broadcast_to(zeros[:, None, :], (lines, 3, columns)))
            for found in (
                x.sum(axis=0),
                x[::-1].sum(axis=0),
                (x * np.ones(columns, dtype)).sum(axis=0),
                (x + x).mean(axis=0),
                x.T.sum(axis=1),
                deep.sum(axis=0),
                deep.sum(axis=1),
                (deep + deep).sum(axis=(0, 1)),
                np.add.reduce(deep, axis=1, where=np.ones(columns, bool)),
            ):
                values = numpy.asarray(found)
                assert not values.any()
                assert not numpy.signbit(values.real).any()
                assert not numpy.signbit(values.imag).any()
