"""Filters of `warnings.catch_warnings` hold for what is recorded within them."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import hassium as np


def invalid() -> Any:
    return np.log(np.linspace(-1.0, 1.0, 1000))


def test_what_is_ignored_in_a_block_is_not_said_after_it() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = invalid()
        assert np.isnan(x[0])
    assert said == []


def test_a_block_has_nothing_from_before() -> None:
    def before() -> None:
        x = invalid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.isnan(x[0])

    with pytest.warns(RuntimeWarning, match="log"):
        before()


def test_a_block_records_what_was_recorded_in_it() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        x = invalid()
    assert [one.category for one in said] == [RuntimeWarning]
    assert np.isnan(x[0])


def test_an_error_of_a_block_ends_it() -> None:
    def strict() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            invalid()

    filters = warnings.filters
    with pytest.raises(RuntimeWarning, match="log"):
        strict()
    assert warnings.filters is filters
