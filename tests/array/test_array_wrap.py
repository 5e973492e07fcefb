"""`__array_wrap__`: of objects that results are wrapped for, and of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hassium as hs


@pytest.mark.parametrize(
    "call",
    [
        "sqrt(w)", "add(w, 1)", "add(m.ones(3), w)", "sum(w)", "sum(w, 0)", "clip(w, 0, 1)",
        "round(w)", "linalg.inv(w)", "cumsum(w)", "repeat(w, 2)", "transpose(w)", "add.reduce(w)",
        "sort(w)", "mean(w)", "linspace(w, w, 3)",
    ],
)  # fmt: skip
def test_who_holds_an_array_of_ours_wraps_results(call: str) -> None:
    def outcome(m: Any) -> Any:
        class Holder:
            def __init__(self, array: Any) -> None:
                self.array = m.asarray(array)

            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                return m.asarray(self.array, dtype=dtype)

            def __array_wrap__(self, array: Any, context: Any = None, scalar: bool = False) -> Any:
                assert isinstance(array, np.ndarray)
                return Holder(array)

        found = eval(f"m.{call}", {"m": m, "w": Holder(np.eye(3) + 0.25)})
        held = isinstance(found, Holder)
        return held, np.asarray(found.array if held else found).tolist()

    assert outcome(hs) == outcome(np)


@pytest.mark.parametrize(
    "call",
    [
        "x.__array_wrap__(m.array(3.0))", "x.__array_wrap__(m.array(3.0), None, True)",
        "x.__array_wrap__(m.arange(3), None, True)", "x.__array_wrap__(numpy.arange(3))",
        "x.__array_wrap__(numpy.arange(3).view(numpy.recarray))", "x.__array_wrap__(3)",
        "x.__array_wrap__([3])",
    ],
)  # fmt: skip
def test_arrays_wrap_as_theirs_do(call: str) -> None:
    def outcome(m: Any) -> Any:
        try:
            found = eval(call, {"m": m, "numpy": np, "x": m.ones(2)})
        except TypeError as error:
            return str(error)
        return type(found) is m.ndarray or type(found), found.shape, found.tolist()

    assert outcome(hs) == outcome(np)


def test_what_is_wrapped_shares_its_memory() -> None:
    given = np.zeros(3)
    wrapped = hs.ones(2).__array_wrap__(given)
    wrapped[0] = 1.0
    assert given.tolist() == [1.0, 0.0, 0.0]
