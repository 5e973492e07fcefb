"""Objects with `__array__` whose answer is an array of ours, and the ways to ask for a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hassium as hs


class Holder:
    """What a user's class looks like once its module's NumPy is hassium."""

    def __init__(self, values: Any) -> None:
        self.values = hs.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def test_an_array_of_ours_behind_the_protocol() -> None:
    holder = Holder([1.5, 2.5])
    made = hs.asarray(holder)
    assert type(made) is type(hs.ones(1))
    assert made is holder.values
    assert hs.array(holder) is not holder.values
    assert hs.asarray(holder, dtype="f4").dtype == np.float32
    assert hs.asarray(holder, copy=False) is holder.values
    assert hs.array(holder, ndmin=2).shape == (1, 2)


def test_errors_of_the_protocol_stay() -> None:
    class Failing:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise ValueError("not today")

    class Odd:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return [1, 2]

    with pytest.raises(ValueError, match="not today"):
        hs.asarray(Failing())
    with pytest.raises(ValueError, match="not producing an array"):
        hs.asarray(Odd())


def test_copy_takes_the_enumeration() -> None:
    modes = np._CopyMode
    ours = hs.ones(3)
    assert hs.array(ours, copy=modes.IF_NEEDED) is ours
    assert hs.array(ours, copy=modes.NEVER) is ours
    assert hs.array(ours, copy=modes.ALWAYS) is not ours
    np.testing.assert_array_equal(hs.array([1, 2.0], copy=modes.IF_NEEDED), [1, 2.0])
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        hs.array([1, 2.0], copy=modes.NEVER)
    assert hs.asarray(ours, copy=modes.IF_NEEDED) is ours


@pytest.mark.parametrize("make", [hs.array, hs.asarray])
def test_copy_takes_no_text(make: Any) -> None:
    with pytest.raises(ValueError, match="strings are not allowed"):
        make(hs.ones(3), copy="never")


def test_operands_of_functions_and_operators() -> None:
    holder = Holder([1.5, -2.5])
    np.testing.assert_array_equal(hs.absolute(holder), [1.5, 2.5])
    np.testing.assert_array_equal(hs.add(holder, holder), [3.0, -5.0])
    np.testing.assert_array_equal(hs.ones(2) + holder, [2.5, -1.5])
    np.testing.assert_array_equal(hs.maximum.reduce(holder), 1.5)
