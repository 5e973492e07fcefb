"""Modules of NumPy's own, imported from NumPy by a program whose arrays are hassium's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy
import numpy.ma.testutils
import pytest

import hassium
from array_pairs import outcome

SERIES = {
    "chebyshev": "cheb",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
    "legendre": "leg",
    "polynomial": "poly",
}


def same(function: Callable[..., Any], *arguments: Any) -> None:
    """That a function gives for arrays of hassium's what it gives for NumPy's."""
    ours = [
        hassium.array(value) if isinstance(value, numpy.ndarray) else value for value in arguments
    ]
    found, expected = outcome(lambda: function(*ours)), outcome(lambda: function(*arguments))
    assert found[0] == expected[0]
    numpy.testing.assert_array_equal(found[1], expected[1], strict=True)


@pytest.mark.parametrize("name", SERIES)
def test_series_have_a_value_for_each_place(name: str) -> None:
    module, prefix = importlib.import_module(f"numpy.polynomial.{name}"), SERIES[name]
    places, series = numpy.linspace(0.0, 1.0, 3), numpy.arange(12.0).reshape(4, 3)
    same(getattr(module, f"{prefix}val"), places, series)
    same(getattr(module, f"{prefix}val"), places, series, False)
    same(getattr(module, f"{prefix}grid2d"), places, places[:2], series)


def test_roots_have_a_value_for_each_place() -> None:
    module = importlib.import_module("numpy.polynomial.polynomial")
    same(module.polyvalfromroots, numpy.linspace(0.0, 1.0, 3), numpy.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("method", ["cumsum", "cumprod", "round"])
def test_masked_arrays_fill_what_they_are_given(method: str) -> None:
    masked = numpy.ma.array([1.25, 2.5, 3.75], mask=[0, 1, 0])
    out, expected = hassium.zeros(3), numpy.zeros(3)
    assert getattr(masked, method)(out=out) is out
    getattr(masked, method)(out=expected)
    numpy.testing.assert_array_equal(out, expected)


def test_assertions_of_masked_arrays() -> None:
    a = hassium.arange(3.0)
    numpy.ma.testutils.assert_equal(a, hassium.arange(3.0))
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 3"):
        numpy.ma.testutils.assert_equal(a, hassium.array([0.0, 1, 3]))
