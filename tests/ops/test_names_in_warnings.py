"""Floating-point warnings name the function that NumPy's name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

CALLS: dict[str, Callable[..., Any]] = {
    "dot": lambda np, a, b: np.dot(a, b),
    "method": lambda np, a, b: a.dot(b),
    "output": lambda np, a, b: np.dot(a, b, out=np.empty(())),
    "matrix by vector": lambda np, a, b: np.dot(np.stack([a, a]), b),
    "matrices": lambda np, a, b: np.dot(np.stack([a, a]), np.stack([b, b])),
    "vdot": lambda np, a, b: np.vdot(a, b),
    "inner": lambda np, a, b: np.inner(a, b),
    "inner of matrices": lambda np, a, b: np.inner(np.stack([a, a]), np.stack([b, b])),
    "matmul": lambda np, a, b: np.matmul(a, b),
    "operator": lambda np, a, b: a @ b,
    "vecdot": lambda np, a, b: np.vecdot(a, b),
    "tensordot": lambda np, a, b: np.tensordot(a, b, 1),
    "tensordot of matrices": lambda np, a, b: np.tensordot(np.stack([a, a]), np.stack([b, b]), 1),
    "einsum": lambda np, a, b: np.einsum("i,i", a, b),
    "outer": lambda np, a, b: np.outer(a, b),
    "norm": lambda np, a, b: np.linalg.norm(a),
    "multi_dot": lambda np, a, b: np.linalg.multi_dot([a, np.ones((2, 2)), b]),
    "kron": lambda np, a, b: np.kron(a, b),
}


@pytest.mark.parametrize("name", CALLS)
def test_names(name: str) -> None:
    heard = []
    for np in (hassium, numpy):
        a, b = np.array([1e308, 1e308]), np.array([1e308, 1.0])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            numpy.asarray(CALLS[name](np, a, b))
        heard.append({str(warning.message) for warning in caught})
    assert heard[0] == heard[1]


@pytest.mark.parametrize("name", ["var", "std", "mean"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_names_of_moments(name: str, dtype: str) -> None:
    heard = []
    for np in (hassium, numpy):
        large = float(numpy.finfo(dtype).max) / 2
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            numpy.asarray(getattr(np, name)(np.array([large, -large, 0], dtype)))
        heard.append({str(warning.message) for warning in caught})
    assert heard[0] == heard[1]


NUMBERS: dict[str, Callable[..., Any]] = {
    "quotient": lambda np, x: x.sum() / 0,
    "quotient of two": lambda np, x: x.min() / x.min(),
    "product": lambda np, x: (x.max() + 1e308) * 10,
    "reflected": lambda np, x: 1 / x.min(),
    "inverse": lambda np, x: x.min() ** -1,
    "square": lambda np, x: (x.max() + 1e200) ** 2,
    "ufunc": lambda np, x: np.divide(x.sum(), 0),
    "array without axes": lambda np, x: x.sum()[...] / 0,
    "mean of nothing": lambda np, x: x[:0].mean(),
    "variance of nothing": lambda np, x: x[:1].var(ddof=1),
    "mean of empty rows": lambda np, x: x[:0].reshape(3, 0).mean(axis=1),
    "bytes": lambda np, x: (x + 250).astype("u1").max() + (x + 250).astype("u1").max(),
    "bytes below zero": lambda np, x: x.astype("u1").min() - 1,
    "negative bytes": lambda np, x: -(x - 128).astype("i1").min(),
    "absolute bytes": lambda np, x: abs((x - 128).astype("i1").min()),
    "quotient of bytes": lambda np, x: x.astype("u1").max() // x.astype("u1").min(),
    "whole quotient": lambda np, x: x.astype(int).max() // x.astype(int).min(),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("length", [4, 100_000])
def test_names_of_numbers(name: str, length: int) -> None:
    """Operators of numbers, pending ones as well, name themselves as NumPy's scalars do."""
    heard = []
    for np in (hassium, numpy):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = NUMBERS[name](np, np.arange(length) % 4 * 1.0)
            numpy.asarray(found)
        heard.append({str(warning.message) for warning in caught})
    assert heard[0] == heard[1]


@pytest.mark.parametrize("subscripts", ["i,i", "ij->ji", "ii", "ij,jk->ik", "ij->"])
def test_einsum_of_few_is_no_fallback(subscripts: str) -> None:
    first, *rest = subscripts.partition("->")[0].split(",")
    operands = [hassium.ones((2,) * len(term)) for term in (first, *rest)]
    hassium.reset_stats()
    hassium.einsum(subscripts, *operands)
    assert hassium.stats()["fallbacks"] == {}
