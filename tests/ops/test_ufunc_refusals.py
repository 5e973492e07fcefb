"""What ufuncs refuse and warn of, as NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs


def test_read_only_output() -> None:
    out = hs.zeros(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="output array is read-only"):
        hs.add(hs.ones(3), 1, out=out)


def test_where_without_out_warns() -> None:
    told = []
    for m in (np, hs):
        mask = m.ones(3, bool)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            m.add(m.ones(3), 1, where=mask)
        told.append([(w.category, str(w.message), w.filename) for w in caught])
        m.add(m.ones(3), 1, where=mask, out=None)
    assert told[1] == told[0]


def test_failed_calls_change_nothing() -> None:
    out = hs.zeros(3)
    with pytest.raises(ValueError, match="could not be broadcast"):
        hs.add(hs.ones(3), hs.ones(2), out=out)
    with pytest.raises(TypeError):
        hs.add(hs.ones(3), 1j, out=out)
    with pytest.raises(ValueError, match="negative integer powers"):
        hs.power(hs.arange(3), -1, out=out, casting="unsafe")
    assert out.tolist() == [0, 0, 0]


@pytest.mark.parametrize("eager", [0, 10_000])
def test_conditions_are_named_as_by_numpy(eager: int) -> None:
    big = np.full((3, 3), 1e308)
    calls: list[Callable[[Any, Any], Any]] = [
        lambda xp, x: xp.sum(x),
        lambda xp, x: x.prod(axis=0),
        lambda xp, x: xp.add.reduce(x, axis=1),
        lambda xp, x: xp.cumsum(x),
        lambda xp, x: xp.multiply.accumulate(x, axis=1),
        lambda xp, x: xp.add.outer(x, x),
        lambda xp, x: x.astype("f4"),
        lambda xp, x: x * x,
        lambda xp, x: x / 0,
    ]
    for call in calls:
        texts = []
        for xp in (np, hs):
            x = xp.array(big)
            with hs.config(eager_elements=eager), warnings.catch_warnings(record=True) as w:
                warnings.simplefilter("always")
                np.asarray(call(xp, x))
            texts.append([str(one.message) for one in w])
        assert texts[0] == texts[1]
        assert len(texts[0]) == 1


@pytest.mark.parametrize(
    "call",
    [
        "m.add(x, 4, signature='%^->#')", "m.add(x, 4, signature='dd->x')",
        "m.add(x, 4, signature='ii>i')", "m.add(x, 1, ...)", "m.add.reduce(x, 0, None, ...)",
        "m.negative(x, out=(...,))", "m.divmod(x, 2, out=(m.empty(3), ...))",
        "m.add.reduce(x, out=(...,))",
    ],
)  # fmt: skip
def test_signatures_and_outputs_that_are_none(call: str) -> None:
    refused = []
    for m in (np, hs):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            eval(call, {"m": m, "x": m.ones(3)})
        refused.append((caught.type, str(caught.value)))
    assert refused[0] == refused[1]


def test_who_overrides_a_reduction_gets_its_arguments_as_they_are() -> None:
    class Override:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            return method, inputs[1:], kwargs

    for call in (
        "reduce(a, 'axis', 'dtype', 'out', 'keep')",
        "accumulate(a, 'axis', 'dtype', 'out')",
        "reduce(a, None, out=(None,))",
        "accumulate(a, None, out=(None,))",
    ):
        found, expected = (eval(f"m.multiply.{call}", {"m": m, "a": Override()}) for m in (hs, np))
        assert found == expected
