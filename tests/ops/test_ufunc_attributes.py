"""Attributes of ufuncs beside their calls, and protocols that hand them over."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import hassium as hs


def test_the_documentation_can_be_set() -> None:
    ufunc: Any = hs.hypot
    text = ufunc.__doc__
    numpys = np.hypot.__doc__
    assert text == f"{numpys}\n\nhassium: native.\n"
    ufunc.__doc__ = "new"
    assert ufunc.__doc__ == ufunc.__dict__["__doc__"] == "new"
    assert np.hypot.__doc__ == numpys
    del ufunc.__doc__
    assert ufunc.__doc__ == text
    with pytest.raises(KeyError):
        del ufunc.__doc__
    ufunc.note = 1
    assert ufunc.__dict__ == {"note": 1}
    del ufunc.note
    assert pickle.loads(pickle.dumps(ufunc)) is ufunc


def test_attributes_are_documented() -> None:
    for name in ("nin", "nout", "nargs", "types", "ntypes", "identity", "signature"):
        assert getattr(hs.ufunc, name).__doc__ == getattr(np.ufunc, name).__doc__


def test_dtypes_are_resolved_as_by_numpy() -> None:
    dtypes = (np.dtype("i4"), np.dtype("f4"), None)
    assert hs.add.resolve_dtypes(dtypes) == np.add.resolve_dtypes(dtypes)
    ours, theirs = hs.ufunc.resolve_dtypes, np.ufunc.resolve_dtypes
    assert ours.__text_signature__ == theirs.__text_signature__


class Refusing:
    def __init__(self) -> None:
        self.asked = 0

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        return NotImplemented


def test_an_operand_that_refuses_is_left_to_the_caller() -> None:
    for m in (np, hs):
        array: Any = m.ones(2)
        assert array.__array_ufunc__(m.add, "__call__", array, Refusing()) is NotImplemented
        assert array.__array_ufunc__(m.add, "__call__", Refusing(), array) is NotImplemented
        with pytest.raises(TypeError, match="all returned NotImplemented"):
            m.add(array, Refusing())
        with pytest.raises(TypeError):
            array + Refusing()


class RefusingFunctions:
    def __array_function__(self, *args: Any) -> Any:
        return NotImplemented


def test_a_function_that_is_refused_is_left_to_the_caller() -> None:
    for m in (np, hs):
        array: Any = m.ones(2)
        refusing = RefusingFunctions()
        args = (np.concatenate, (type(array), RefusingFunctions), ([array, refusing],), {})
        assert array.__array_function__(*args) is NotImplemented
        with pytest.raises(TypeError, match=r"no implementation found for 'numpy\.concatenate'"):
            m.concatenate([array, refusing])


def test_ufuncs_without_native_form() -> None:
    length: Any = hs.strings.str_len
    assert isinstance(length, hs.ufunc)
    assert isinstance(length, np.ufunc)
    assert length == np.strings.str_len
    assert np.strings.str_len == length
    assert hash(length) == hash(np.strings.str_len)
    assert pickle.loads(pickle.dumps(length)) == length
    assert type(length(["a", "bc"])) is hs.ndarray
    names = vars(hs._core.umath)  # type: ignore[attr-defined]
    ours = {name for name, value in names.items() if isinstance(value, hs.ufunc)}
    theirs = vars(np._core.umath)  # type: ignore[attr-defined]
    assert ours == {name for name, value in theirs.items() if isinstance(value, np.ufunc)}
