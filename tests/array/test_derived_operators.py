"""Operators between arrays and classes derived from NumPy's, which Python asks first."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import hassium as hs

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.matmul, divmod, operator.eq, operator.ne, operator.lt, operator.le,
    operator.gt, operator.ge,
]  # fmt: skip


def reflected(name: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        return name, type(self).__name__, np.asarray(other).tolist()

    return method


class Answers(np.ndarray):
    pass


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod",
):  # fmt: skip
    setattr(Answers, f"__r{_name}__", reflected(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Answers, f"__{_name}__", reflected(_name))


class Plain(np.ndarray):
    pass


VALUES = [[1.0, 2.0], [3.0, 4.0]]


def derived(kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "matrix":
            return np.matrix(VALUES)
    if kind == "masked":
        return np.ma.array(VALUES, mask=[[0, 1], [0, 0]])
    return np.array(VALUES).view(Answers if kind == "answers" else Plain)


def outcome(function: Any, a: Any, b: Any) -> Any:
    try:
        found = function(a, b)
        parts = found if isinstance(found, tuple) else (found,)
        return [(type(part), repr(part)) for part in parts]
    except Exception as error:  # the text of a product of masked arrays may be one
        return type(error)


@pytest.mark.parametrize("kind", ["matrix", "masked", "answers", "plain"])
@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_operators(function: Any, kind: str) -> None:
    for shape in ((2, 2), (2,), ()):
        mine = hs.full(shape, 2.0)
        theirs = np.full(shape, 2.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = derived(kind)
            assert outcome(function, mine, other) == outcome(function, theirs, other)
            assert outcome(function, other, mine) == outcome(function, other, theirs)


def test_scalars() -> None:
    for m in (np, hs):
        assert (m.ones(3).sum() + derived("answers"))[0] == "add"
        assert type(m.ones(3).sum() * derived("plain")) is Plain


def test_in_place_is_the_ufunc() -> None:
    for m in (np, hs):
        array = m.array(VALUES)
        array *= derived("matrix")
        assert array.tolist() == [[1, 4], [9, 16]]
        array += derived("answers")
        assert array.tolist() == [[2, 6], [12, 20]]


def test_what_refuses_ufuncs_is_not_written_into_an_array() -> None:
    class Refusing:
        __array_ufunc__ = None

        def __radd__(self, other: Any) -> str:
            return "answered"

    for library in (np, hs):
        x = library.zeros(3)
        assert x + Refusing() == "answered"
        with pytest.raises(TypeError, match="does not support ufuncs"):
            x += Refusing()
