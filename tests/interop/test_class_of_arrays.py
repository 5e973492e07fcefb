"""``type(x) is np.ndarray``, as programs ask for it, and what else the class itself is for."""

from __future__ import annotations

import copy
import functools
import pickle
import typing
from typing import Any

import numpy as np
import pytest

import hassium as hs

ARRAYS = {
    "arange": lambda: hs.arange(4),
    "slice": lambda: hs.ones((2, 3))[:, 1],
    "sum": lambda: hs.ones(3) + 1,
    "reduction": lambda: hs.ones((2, 3)).sum(axis=0),
    "no axes": lambda: hs.array(1.5),
    "random": lambda: hs.random.default_rng(1).random(3),
    "fallback": lambda: hs.sort(hs.ones(3)),
    "called": lambda: hs.ndarray((2, 3), "f4"),
}


@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_type_of_arrays(make: Any) -> None:
    array = make()
    assert type(array) is hs.ndarray
    assert type(array) in (list, hs.ndarray)
    assert {hs.ndarray: 1}[type(array)] == 1
    assert array.__class__ is hs.ndarray
    assert isinstance(array, hs.ndarray)
    assert isinstance(array, (list, hs.ndarray))
    assert issubclass(type(array), hs.ndarray)
    assert not isinstance(array, np.ndarray)


def test_instances() -> None:
    assert isinstance(np.ones(2), hs.ndarray)
    assert isinstance(np.ma.array([1]), hs.ndarray)
    for other in (1.0, [1], None, "a", hs.ones(3).sum(), np.float64(1), hs.ndarray):
        assert not isinstance(other, hs.ndarray)

    class Pretends:
        __class__ = np.ndarray  # type: ignore[assignment]

    assert isinstance(Pretends(), hs.ndarray)
    match hs.ones(2):
        case hs.ndarray():
            pass
        case _:
            pytest.fail("no instance")


def test_dispatch_by_type() -> None:
    @functools.singledispatch
    def kind(x: Any) -> str:
        return "object"

    @kind.register(hs.ndarray)
    def _(x: Any) -> str:
        return "array"

    assert kind(hs.ones(2)) == kind(np.ones(2)) == "array"
    assert kind([1.0]) == "object"


def test_class_is_an_object_like_others() -> None:
    assert hs.ndarray.__name__ == "ndarray"
    assert pickle.loads(pickle.dumps(type(hs.ones(1)))) is hs.ndarray
    assert copy.deepcopy(hs.ndarray) is hs.ndarray
    assert hs.ndarray | None == None | hs.ndarray
    assert hs.ndarray[Any, Any].__args__ == (Any, Any)
    assert hs.ndarray[Any, Any].__origin__ is hs.ndarray
    assert isinstance(hs.ones(1), typing.get_origin(hs.ndarray[Any]))
    with pytest.raises(TypeError, match="Too many arguments"):
        hs.ndarray[Any, Any, Any]
    assert repr(hs.ndarray) == "<class 'hassium.ndarray'>"
    assert isinstance(hs.ndarray, type)
    with pytest.raises(TypeError):
        hs.ndarray.sum = None  # type: ignore[method-assign, assignment]


def test_type_of_ufuncs() -> None:
    assert type(hs.add) is hs.ufunc
    assert isinstance(hs.add, hs.ufunc)
    assert isinstance(np.add, hs.ufunc)
    assert issubclass(np.ufunc, hs.ufunc)
    assert not isinstance(len, hs.ufunc)
    assert not issubclass(int, hs.ufunc)
