"""Methods and attributes named on the class: ``ndarray.sum(a)``, as subclasses write them."""

from __future__ import annotations

import collections.abc
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import hassium as hs

CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("sum", ()),
    ("max", (0,)),
    ("mean", ()),
    ("std", ()),
    ("cumsum", ()),
    ("argmax", ()),
    ("any", ()),
    ("dot", ([1, 2, 3],)),
    ("take", ([0, 2],)),
    ("repeat", (2,)),
    ("clip", (1, 2)),
    ("round", ()),
    ("reshape", (3, 2)),
    ("ravel", ()),
    ("flatten", ()),
    ("transpose", ()),
    ("swapaxes", (0, 1)),
    ("copy", ()),
    ("astype", ("f4",)),
    ("argsort", ()),
    ("searchsorted", ([[1.5]],)),
    ("nonzero", ()),
    ("tolist", ()),
    ("tobytes", ()),
    ("item", (1,)),
    ("conj", ()),
    ("view", ("i8",)),
    ("__add__", (1,)),
    ("__radd__", (1,)),
    ("__eq__", (1,)),
    ("__lt__", (1,)),
    ("__neg__", ()),
    ("__matmul__", ([[1], [2], [3]],)),
    ("__getitem__", (0,)),
    ("__len__", ()),
    ("__contains__", (3,)),
    ("__str__", ()),
    ("__repr__", ()),
    ("__array__", ()),
    ("__copy__", ()),
    ("__iter__", ()),
]


def signature(function: Any) -> inspect.Signature | None:
    """What inspect tells; None for compiled functions before NumPy 2.4."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


class Derived(hs.ndarray):  # type: ignore[misc]
    pass


def outcome(m: Any, array: Any, name: str, args: tuple[Any, ...]) -> Any:
    try:
        found = getattr(m.ndarray, name)(array, *args)
    except Exception as error:
        return type(error)
    if name == "__iter__":
        found = list(found)
    return [np.asarray(part).tolist() for part in (found if type(found) is tuple else (found,))]


@pytest.mark.parametrize(("name", "args"), CALLS, ids=[name for name, _ in CALLS])
def test_methods(name: str, args: tuple[Any, ...]) -> None:
    values = [[1.0, 5.0, 2.0], [3.0, 0.0, 4.0]]
    if name == "searchsorted":
        values = [0.0, 1.0, 2.0]  # type: ignore[list-item]
    expected = outcome(np, np.array(values), name, args)
    assert outcome(hs, hs.array(values), name, args) == expected
    assert outcome(hs, np.array(values), name, args) == expected
    derived = np.array(values).view(Derived)
    if name != "__repr__":
        assert outcome(hs, derived, name, args) == expected
    kind = type(getattr(np.ndarray, name)(derived, *args))
    assert type(getattr(hs.ndarray, name)(derived, *args)) is kind


def test_in_place() -> None:
    for array in (hs.arange(4.0), np.arange(4.0), np.arange(4.0).view(Derived)):
        assert hs.ndarray.__setitem__(array, 0, 7.0) is None
        assert hs.ndarray.__iadd__(array, 1) is array
        assert hs.ndarray.fill(array[2:], 9) is None
        assert array.tolist() == [8, 2, 9, 9]


def test_attributes() -> None:
    for array in (hs.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)).view(Derived)):
        assert hs.ndarray.shape.__get__(array) == (2, 3)
        assert hs.ndarray.dtype.__get__(array) == np.dtype(float)
        assert hs.ndarray.T.__get__(array).shape == (3, 2)
        hs.ndarray.shape.__set__(array, (3, 2))
        assert array.shape == (3, 2)


def test_as_in_numpy() -> None:
    assert signature(hs.ndarray.sum) == signature(np.ndarray.sum)
    head, _, line = hs.ndarray.sum.__doc__.rpartition("\n\n")
    assert (head, line.strip()) == (np.ndarray.sum.__doc__, "hassium: native.")
    assert pickle.loads(pickle.dumps(hs.ndarray.sum)) is hs.ndarray.sum
    assert hs.ndarray.__hash__ is None
    assert list(map(hs.ndarray.max, [hs.arange(3), np.arange(5)])) == [2, 4]
    for kind in (collections.abc.Iterable, collections.abc.Sized, collections.abc.Container):
        assert issubclass(hs.ndarray, kind)
    assert not issubclass(hs.ndarray, collections.abc.Hashable)
    with pytest.raises(TypeError):
        hs.ndarray.sum([1, 2])
    assert hs.ufunc.reduce(hs.add, hs.arange(3)) == 3


def test_view_as_ndarray() -> None:
    """``view(np.ndarray)`` of a derived array, as NumPy's guide to subclassing writes it."""
    derived = np.arange(4.0).view(Derived)
    for plain in (
        derived.view(hs.ndarray),
        derived.view(type=hs.ndarray),
        hs.ndarray.view(derived, hs.ndarray),
        super(Derived, derived).view(hs.ndarray),
    ):
        assert type(plain) is np.ndarray
        assert np.shares_memory(plain, derived)
    assert derived.view("i8", hs.ndarray).dtype == np.dtype("i8")
    assert type(derived.view(Derived)) is Derived
    assert type(derived.view()) is Derived
    assert derived.view("f4").shape == (8,)
    with pytest.raises(ValueError, match="sub-type of ndarray"):
        derived.view("i8", "f8")


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_view_as_ndarray_of_numpys_classes() -> None:
    masked = np.ma.array([[1.0, 2.0]], mask=[[0, 1]])
    records = np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    for array in (np.matrix([[1.0, 2.0]]), masked, records, np.array(["a"]), np.ones(2)):
        for plain in (array.view(hs.ndarray), array.view(type=hs.ndarray)):
            assert type(plain) is np.ndarray
            assert plain.tobytes() == np.asarray(array).tobytes()
            assert np.shares_memory(plain, array)
    assert masked.view("i8", hs.ndarray).dtype == np.dtype("i8")
    assert type(masked.view()) is np.ma.MaskedArray
    assert type(np.ones(2).view(np.matrix)) is np.matrix
    for args, kwargs in [((1, 2, 3, 4, 5), {}), (("no dtype",), {}), ((), {"no": hs.ndarray})]:
        with pytest.raises(TypeError):
            masked.base.view(*args, **kwargs)
    assert signature(np.ndarray.view) == signature(hs.ndarray.view)
    rows = hs.apply_along_axis(lambda row: row.view(hs.ndarray) * 2, 0, hs.ones((2, 2)))
    assert rows.tolist() == [[2, 2], [2, 2]]


def test_ufunc_override_of_the_guide() -> None:
    class Logged(hs.ndarray):  # type: ignore[misc]
        def __array_ufunc__(
            self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any
        ) -> Any:
            plain = [x.view(hs.ndarray) if isinstance(x, Logged) else x for x in inputs]
            if out is not None:
                kwargs["out"] = tuple(
                    x.view(hs.ndarray) if isinstance(x, Logged) else x for x in out
                )
            found = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
            return found if out is not None else np.asarray(found).view(Logged)

    a = hs.arange(5.0).view(Logged)
    b = np.add(a, 1)
    assert type(b) is Logged
    assert b.view(hs.ndarray).tolist() == [1, 2, 3, 4, 5]
    a += hs.ones(5)
    assert np.asarray(a).tolist() == [1, 2, 3, 4, 5]
    assert np.asarray(hs.multiply(a, 2)).tolist() == [2, 4, 6, 8, 10]
