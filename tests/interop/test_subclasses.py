"""Classes that derive from ndarray and name it where they could say super()."""

from __future__ import annotations

import abc
import collections.abc
import operator
from typing import Any

import numpy as np
import pytest

import hassium as hs


def derived(m: Any) -> Any:
    class Named(m.ndarray):  # type: ignore[misc]
        def __new__(cls, shape: Any, dtype: Any = float, unit: str = "m") -> Any:
            self = m.ndarray.__new__(cls, shape, dtype=dtype)
            self.unit = unit
            return self

        def __array_finalize__(self, source: Any) -> None:
            finalize = m.ndarray.__array_finalize__
            if finalize is not None:
                finalize(self, source)
            self.unit = getattr(source, "unit", None)

    return Named


@pytest.mark.parametrize("m", [hs, np], ids=["hassium", "numpy"])
def test_new_and_finalize_by_name(m: Any) -> None:
    kind = derived(m)
    array = kind((2, 3), "i4", unit="s")
    array[...] = 2
    assert type(array) is kind
    assert isinstance(array, np.ndarray)
    assert (array.shape, array.dtype, array.unit) == ((2, 3), np.dtype("i4"), "s")
    assert (type(array[0]), array[0].unit) == (kind, "s")
    assert type(array + 1) is kind


def test_new_of_ndarray_itself() -> None:
    made = hs.ndarray.__new__(hs.ndarray, (2,), "f4")
    assert type(made) is type(hs.ones(1))
    assert (made.shape, made.dtype) == ((2,), np.dtype("f4"))


def test_what_no_array_has() -> None:
    with pytest.raises(AttributeError):
        hs.ndarray.no_such_attribute  # noqa: B018


@pytest.mark.parametrize("m", [hs, np], ids=["hassium", "numpy"])
def test_classes_that_are_abstract_as_well(m: Any) -> None:
    class Plan(m.ndarray, abc.ABC):  # type: ignore[misc]
        @abc.abstractmethod
        def cost(self) -> float: ...

    class Sum(Plan):
        def cost(self) -> float:
            return float(self.sum())

    class Listed(m.ndarray, collections.abc.Sequence):  # type: ignore[misc,type-arg]
        pass

    class Marked(m.ndarray, metaclass=abc.ABCMeta):  # type: ignore[misc]
        pass

    assert (Plan.__abstractmethods__, Sum.__abstractmethods__) == ({"cost"}, set())
    assert np.ones(3).view(Sum).cost() == 3
    listed = np.ones(3).view(Listed)
    assert isinstance(listed, collections.abc.Sequence)
    assert listed.count(1) == 3
    assert isinstance(np.ones(3).view(Marked), m.ndarray)
    assert not isinstance(m.ones(3), (Plan, Marked))


@pytest.mark.parametrize("plain", ["asarray", "array"])
@pytest.mark.parametrize("m", [hs, np], ids=["hassium", "numpy"])
def test_operands_made_plain_for_super(m: Any, plain: str) -> None:
    class Logged(m.ndarray):  # type: ignore[misc]
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            def bare(x: Any) -> Any:
                return getattr(m, plain)(x) if isinstance(x, Logged) else x

            outs = kwargs.get("out", ())
            if outs:
                kwargs["out"] = tuple(x.view(m.ndarray) for x in outs)
            found = super().__array_ufunc__(ufunc, method, *map(bare, inputs), **kwargs)
            return outs[0] if outs else found.view(Logged)

    x = m.arange(4.0).view(Logged)
    assert isinstance(x, np.ndarray)
    for found, wanted in (
        (m.negative(x), [0, -1, -2, -3]),
        (x + m.ones(4), [1, 2, 3, 4]),
        (m.ones(4) + x, [1, 2, 3, 4]),
        (m.add.accumulate(x), [0, 1, 3, 6]),
        (m.where(m.ones(4) > 0, x, 0), [0, 1, 2, 3]),
    ):
        assert found.tolist() == wanted
    assert type(x * x) is Logged
    x += 1
    assert type(x) is Logged
    assert x.tolist() == [1, 2, 3, 4]


def test_concat_is_no_sum() -> None:
    x = hs.ones(3)
    for concat in (operator.concat, operator.iconcat):
        with pytest.raises(TypeError, match="Concatenation operation is not implemented"):
            concat(x, x)
