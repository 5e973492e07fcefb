"""What is a view in NumPy is a view here, whoever owns the memory: each row of the table of views
on arrays of ours, exports, views of exports and NumPy's own arrays, in several layouts."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium
from view_table import FUNCTIONS, METHODS, Row

Layout = Callable[[Any], Any]
LAYOUTS: dict[str, Layout] = {
    "number": lambda m: m.array(2.0),
    "empty": lambda m: m.empty((0, 3)),
    "vector": lambda m: m.arange(5.0),
    "reversed": lambda m: m.arange(8.0)[::-2],
    "one": lambda m: m.ones((1, 3, 1)),
    "rows": lambda m: m.arange(12.0).reshape(3, 4),
    "columns": lambda m: m.arange(12.0).reshape(4, 3).T,
    "square": lambda m: m.arange(9).reshape(3, 3) % 4,
    "cube": lambda m: m.arange(24.0).reshape(2, 3, 4)[:, ::-1],
    "complex": lambda m: m.arange(6).reshape(2, 3) * (1 + 2j),
    "flags": lambda m: m.array([True, False, True]),
}


def ours(layout: Layout) -> tuple[Any, list[Any]]:
    h = layout(hassium)
    return h, [h]


def export(layout: Layout) -> tuple[Any, list[Any]]:
    h = layout(hassium)
    e = numpy.asarray(h)
    return e, [e, h]


def handed_out(layout: Layout) -> tuple[Any, list[Any]]:
    h = layout(hassium)
    e = h.__array__()
    return e, [h, e]


def view_of_export(layout: Layout) -> tuple[Any, list[Any]]:
    h = layout(hassium)
    e = numpy.asarray(h)[...].T.T
    return e, [e, h]


def view_of_foreign(layout: Layout) -> tuple[Any, list[Any]]:
    n = layout(numpy)
    h = hassium.asarray(n, copy=False)
    return h, [h, n]


def numpys(layout: Layout) -> tuple[Any, list[Any]]:
    n = layout(numpy)
    return n, [n]


def elements_as_array(layout: Layout) -> tuple[Any, list[Any]]:
    """NumPy's `scalar[...]` where there are no axes."""
    n = layout(numpy)
    return numpys(lambda m: n[()][...]) if n.ndim == 0 else numpys(layout)


HOLDERS = {
    "ours": ours,
    "export": export,
    "handed out": handed_out,
    "view of export": view_of_export,
    "view of foreign": view_of_foreign,
    "numpys": numpys,
    "scalar[...]": elements_as_array,
}
OF_NUMPY = ("numpys", "scalar[...]")


def attempt(row: Row, module: Any, a: Any) -> Any:
    """The arrays that a row gives, or the kind of its error."""
    try:
        result = row.call(module, a)
    except Exception as error:  # of any type: which one is the question
        return type(error)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def is_array(x: Any) -> bool:
    return isinstance(x, hassium.ndarray)


def layouts() -> Iterator[tuple[str, bool, Any, Any]]:
    for name, make in LAYOUTS.items():
        for writeable in (True, False):
            yield name, writeable, make(numpy), make


def renew(arrays: list[Any], by: int) -> None:
    """Other values in every array that may be written."""
    for k, array in enumerate(arrays):
        if is_array(array) and array.flags.writeable:
            array[...] = (by + k) % 2 if array.dtype == bool else by + k


def check_row(row: Row, holder: Callable[[Any], Any], shares: bool) -> None:
    """`shares`: whether the row gives views of NumPy's own arrays where NumPy does."""
    for name, writeable, theirs, source in layouts():
        operand, handles = holder(source)
        memory, theirs = theirs, theirs if writeable else theirs[...]
        if not writeable:
            theirs.flags.writeable = operand.flags.writeable = False
        expected, found = attempt(row, numpy, theirs), attempt(row, hassium, operand)
        where = f"{name}, {'writeable' if writeable else 'read-only'}"
        if isinstance(expected, type):
            assert isinstance(found, type), f"{where}: NumPy raises {expected.__name__}"
            assert issubclass(found, expected) or issubclass(expected, found), where
            continue
        assert isinstance(found, list), f"{where}: raises {found.__name__}"
        assert len(found) == len(expected), where
        shared = [
            is_array(x) and numpy.shares_memory(x, theirs) and (shares or theirs.dtype != x.dtype)
            for x in expected
        ]
        for x, y, is_view in zip(expected, found, shared, strict=True):
            assert (numpy.shape(x), x.dtype) == (numpy.shape(y), y.dtype), where
            assert is_array(x) == is_array(y), f"{where}: {type(x)} became {type(y)}"
            if is_array(x):
                assert x.flags.writeable == y.flags.writeable, f"{where}: writeable"
                for handle in (operand, *handles):
                    assert bool(hassium.shares_memory(y, handle)) == is_view, f"{where}: shared"
                    assert bool(hassium.may_share_memory(y, handle)) >= is_view, where
        if not shares:  # what is no view may still have changed its operand
            continue
        for k, handle in enumerate(handles):
            if not handle.flags.writeable:
                continue
            renew([handle], 3 + k)
            renew([memory], 3 + k)
            agree(expected, found, f"{where}: written through handle {k}")
        renew(expected, 7)
        renew(found, 7)
        agree([theirs] * len(handles), handles, f"{where}: written through results")
        agree(expected, found, f"{where}: results")


def agree(expected: list[Any], found: list[Any], where: str) -> None:
    for x, y in zip(expected, found, strict=True):
        assert numpy.array_equal(x, numpy.asarray(y)), f"{where}: {y!r}, NumPy {x!r}"


def title(row: Row) -> str:
    return row.name


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of broadcast arrays, that are written
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", hassium.CopyWarning)
        yield


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("row", FUNCTIONS, ids=title)
def test_functions(row: Row, holder: str) -> None:
    if row.converts and holder in OF_NUMPY:
        check_row(row, HOLDERS[holder], shares=False)
        with hassium.config(asarray_shares=True):
            check_row(row, HOLDERS[holder], shares=True)
    else:
        check_row(row, HOLDERS[holder], shares=True)


@pytest.mark.parametrize("row", METHODS, ids=title)
def test_methods(row: Row) -> None:
    check_row(row, ours, shares=True)


# ---- every function that can return a view is in the table ----

ARGUMENTS: list[tuple[Any, ...]] = [
    (), (0,), (1,), (0, 1), (1, 0), ([1],), ((2, 2),), ((4, 4),), ((1, 0),), ("f8",), ("K",), (2,),
    (None,), (..., ), (0, 0), ("cpu",), ((4,), (8,)), (slice(1),),
]  # fmt: skip
MODULES = {"": numpy, "linalg.": numpy.linalg, "lib.stride_tricks.": numpy.lib.stride_tricks}
# In-place work returns what it is given: no view is made.
RETURNS_OPERAND = {"copyto", "put", "place", "putmask"}


def shares_any(result: Any, a: Any) -> bool:
    if isinstance(result, (list, tuple)):
        return any(shares_any(x, a) for x in result)
    return isinstance(result, numpy.ndarray) and numpy.shares_memory(result, a)


def gives_view(function: Callable[..., Any], *, copy: bool) -> bool:
    for a in (numpy.arange(16.0).reshape(4, 4), numpy.arange(4.0), numpy.ones((1, 4, 4), complex)):
        for args in ARGUMENTS:
            for named in ({}, {"copy": False}) if copy else ({},):
                try:
                    result = function(a, *args, **named)
                except Exception:
                    continue
                if shares_any(result, a):
                    return True
    return False


def takes_copy(function: Any) -> bool:
    try:
        return "copy" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True


def candidates() -> set[str]:
    found = set()
    for prefix, module in MODULES.items():
        for name in sorted(getattr(module, "__all__", dir(module))):
            function = getattr(module, name, None)
            skipped = isinstance(function, (type, numpy.ufunc)) or name in RETURNS_OPERAND
            if skipped or name[0] == "_" or not callable(function):
                continue
            if name in ("save", "savez", "savez_compressed", "savetxt", "test"):
                continue
            if gives_view(function, copy=takes_copy(function)):
                found.add(prefix + name)
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_function_that_gives_views_is_in_the_table() -> None:
    missing = candidates() - {row.name for row in FUNCTIONS}
    assert not missing


# What only hands the array itself on.
PROTOCOLS = {"base", "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__dlpack__"}


def methods() -> set[str]:
    found = set()
    for name in dir(numpy.ndarray):
        if name in PROTOCOLS or name in ("tofile", "dump", "__class_getitem__", "__new__"):
            continue

        def call(a: Any, *args: Any, name: str = name, **kwargs: Any) -> Any:
            member = getattr(a, name)
            return member(*args, **kwargs) if callable(member) else member

        in_place = name.startswith("__i") and name not in ("__iter__", "__index__", "__invert__")
        if not in_place and gives_view(call, copy=True):
            found.add(f".{name}")
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_method_that_gives_views_is_in_the_table() -> None:
    missing = methods() - {row.name for row in METHODS}
    assert not missing
