"""Functions that make arrays: dtypes of mixed arguments, bits, and arguments they do not take."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

CASES: dict[str, Callable[[Any], Any]] = {
    "linspace weak and float32": lambda m: m.linspace(3, m.array([1, 2.0], dtype="f4")),
    "linspace of float32 scalars": lambda m: m.linspace(m.float32(0), m.float32(1), 5),
    "linspace of int8": lambda m: m.linspace(m.array([0, 1], dtype="i1"), 3, 4),
    "linspace of bool": lambda m: m.linspace(True, 3, 4),
    "linspace of float16": lambda m: m.linspace(m.array([1], dtype="f2"), 3, 4),
    "linspace to float16": lambda m: m.linspace(2, 3, 4, dtype="f2"),
    "linspace to int": lambda m: m.linspace(0, 10, 4, dtype=int),
    "linspace to int8, falling": lambda m: m.linspace(3, -3, 9, dtype="i1"),
    "linspace of complex": lambda m: m.linspace(0, 1j, 5),
    "linspace of uint8, falling": lambda m: m.linspace(m.array([200, 3], "u1"), m.uint8(1), 4),
    "linspace of arrays": lambda m: m.linspace(
        m.array([0.0, 1]), m.array([[2.0], [3]]), 4, axis=-1
    ),
    "linspace without a step": lambda m: m.linspace(1, 1, 3),
    "linspace of nothing": lambda m: m.linspace(0, 1, 0),
    "linspace of one": lambda m: m.linspace(0, 1, 1),
    "linspace open": lambda m: m.linspace(0.0, 1.0, 7, endpoint=False),
    "tril of a vector": lambda m: m.tril(m.ones(3)),
    "triu of a vector": lambda m: m.triu(m.arange(4), 1),
    "tril of a stack": lambda m: m.tril(m.ones((2, 3, 4)), -1),
    "triu of a tuple": lambda m: m.triu((1, 2)),
    "round of bool": lambda m: m.round(m.array([True, False])),
    "round of a Python bool": lambda m: m.round(True),
    "round to tens": lambda m: m.round(m.array([15, 25, -35]), -1),
    "var of float32 where": lambda m: m.var(
        m.array([1, 2.5, 7], dtype="f4"), where=m.array([True, True, False])
    ),
    "std of complex64 where": lambda m: m.std(
        m.array([1, 2.5j, 7], dtype="c8"), where=m.array([True, True, False])
    ),
    "zeros_like on a device": lambda m: m.zeros_like(m.ones(3), device="cpu"),
    "like": lambda m: m.ascontiguousarray([1, 2], like=m.zeros(2)),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_dtypes_are_numpys(name: str) -> None:
    expected = numpy.asarray(CASES[name](numpy))
    result = numpy.asarray(CASES[name](np))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.tobytes() == expected.tobytes()


WRONG: dict[str, Callable[[Any], Any]] = {
    "ones_like": lambda m: m.ones_like(m.ones(3), bins=4),
    "empty_like": lambda m: m.empty_like(m.ones(3), where=True),
    "full_like": lambda m: m.full_like(m.ones(3), 2, like=None),
    "zeros_like device": lambda m: m.zeros_like(m.ones(3), device="gpu"),
    "ascontiguousarray": lambda m: m.ascontiguousarray(m.ones(3), stable=True),
    "asfortranarray": lambda m: m.asfortranarray(m.ones(3), keepdims=False),
    "asanyarray": lambda m: m.asanyarray(m.ones(3), axis=0),
    "eye": lambda m: m.eye(3, shape=3),
    "identity": lambda m: m.identity(3, order="C"),
    "tri": lambda m: m.tri(3, where=True),
    "tril of a scalar": lambda m: m.tril(m.array(3.0)),
    "a dtype that is an array": lambda m: m.zeros(3, dtype=m.ones(2, dtype="f4")),
    "a dtype that is a matrix": lambda m: m.array([1, 2], m.ones((2, 2))),
    "astype an array": lambda m: m.ones(3).astype(m.ones(3)),
    "round a bool to tenths": lambda m: m.round(m.array([True]), 1),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused(name: str) -> None:
    with pytest.raises((TypeError, ValueError)) as theirs:
        WRONG[name](numpy)
    with pytest.raises(theirs.type):
        WRONG[name](np)


def filled(np: Any, form: str, value: Any, dtype: str) -> Any:
    array = np.zeros(3, dtype)
    if form == "full":
        return np.full(3, value, dtype)
    if form == "full_like":
        return np.full_like(array, value)
    np.copyto(array, value, casting="unsafe")
    return array


@pytest.mark.parametrize("value", [1 + 2j, 2j, numpy.complex64(1 + 2j)], ids=repr)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "bool", "complex64"])
@pytest.mark.parametrize("form", ["full", "full_like", "copyto"])
def test_filling_with_a_complex_number_casts_and_warns(form: str, dtype: str, value: Any) -> None:
    found = []
    for library in (np, numpy):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            array = numpy.asarray(filled(library, form, value, dtype))
        found.append((array.tolist(), array.dtype, [w.category for w in caught]))
    assert found[0] == found[1]


def test_memory_that_an_object_holds_itself_is_no_copy() -> None:
    class Holder:
        values = numpy.arange(4.0)

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return numpy.array(self.values, dtype, copy=copy)

    shared = np.array(Holder(), copy=False)
    Holder.values[0] = 9.0
    assert shared.tolist() == [9.0, 1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="copy"):
        np.array([1.0, 2.0], copy=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("stop", [complex(numpy.inf, 0), complex(0, numpy.inf), -numpy.inf])
def test_the_last_sample_is_the_end(stop: complex) -> None:
    assert complex(np.linspace(0, stop, 5)[-1]) == complex(numpy.linspace(0, stop, 5)[-1]) == stop


HUGE: dict[str, Callable[[Any], Any]] = {
    "ones": lambda m: m.ones(10**15),
    "zeros of the largest extent": lambda m: m.zeros(2**63 - 1, "u1"),
    "empty": lambda m: m.empty((10**8, 10**7), "c16", order="F"),
    "arange": lambda m: m.arange(10**15),
    "linspace": lambda m: m.linspace(0, 1, 10**15),
    "sum of what is repeated": lambda m: m.broadcast_to(m.ones(3), (10**15, 3)) + 1,
    "copy of what is repeated": lambda m: m.broadcast_to(m.ones(3), (10**15, 3)).copy(),
    "outer product": lambda m: m.outer(m.ones(10), m.broadcast_to(1.0, 10**15)),
    "zeros_like": lambda m: m.zeros_like(m.broadcast_to(1.0, 10**13)),
    "ones_like": lambda m: m.ones_like(m.broadcast_to(1, (10**6, 10**7)), "f4"),
    "empty_like": lambda m: m.empty_like(m.ones(3), shape=10**13),
    "full_like": lambda m: m.full_like(m.broadcast_to(1.0, 10**13), 3.0),
    "eye": lambda m: m.eye(4 * 10**6),
    "identity": lambda m: m.identity(4 * 10**6, "i4"),
    # Products lie in memory before anything reads them.
    "matmul": lambda m: m.ones((3 * 10**6, 1)) @ m.ones((1, 3 * 10**6)),
    "dot": lambda m: m.dot(m.ones((3 * 10**6, 2), "i4"), m.ones((2, 3 * 10**6), "i4")),
    "matvec": lambda m: m.matvec(m.broadcast_to(1.0, (10**12, 2, 1)), m.ones(1)),
}


@pytest.mark.parametrize("make", HUGE.values(), ids=HUGE)
def test_what_no_machine_holds_is_refused_where_it_is_made(make: Callable[[Any], Any]) -> None:
    errors = []
    for library in (np, numpy):
        with pytest.raises(MemoryError, match=r"Unable to allocate .* and data type") as caught:
            make(library)
        errors.append(caught.type)
    np.flush()
    assert errors[0] is errors[1]


# Results of operations, which may never be stored: `np.repeat(x, n).sum()` is computed.
ROWS = (2 * 10**6, 2 * 10**6)
READ: dict[str, Callable[[Any], Any]] = {
    "tile": lambda m: m.tile(m.ones(10**4), (10**9, 1)),
    "repeat": lambda m: m.repeat(m.ones(10**4), 10**9),
    "outer": lambda m: m.outer(m.ones(3 * 10**6), m.ones(3 * 10**6)),
    "sum of a column and a row": lambda m: m.ones((3 * 10**6, 1)) + m.ones(3 * 10**6),
    "copy": lambda m: m.broadcast_to(1.0, 10**13).copy(),
    "flatten": lambda m: m.broadcast_to(1.0, ROWS).flatten(),
    "ravel": lambda m: m.broadcast_to(1.0, ROWS).ravel(),
    "concatenate": lambda m: m.concatenate([m.broadcast_to(1.0, ROWS)] * 2, axis=1),
    "stack": lambda m: m.stack([m.broadcast_to(1.0, ROWS)] * 2),
    "multiply.outer": lambda m: m.multiply.outer(m.ones(ROWS[0], "f4"), m.ones(ROWS[1], "f4")),
    "cumsum": lambda m: m.cumsum(m.broadcast_to(1.0, ROWS), axis=0),
    "astype": lambda m: m.broadcast_to(1.0, ROWS).astype("f4"),
}


def read_one(array: Any) -> float:
    return float(array[(0,) * array.ndim])


@pytest.mark.parametrize("make", READ.values(), ids=READ)
def test_what_no_machine_holds_is_refused_where_it_is_read(make: Callable[[Any], Any]) -> None:
    errors = []
    for library, read in ((np, numpy.asarray), (np, read_one), (numpy, read_one)):
        with pytest.raises(MemoryError) as caught:
            read(make(library))
        errors.append((caught.type.__name__, str(caught.value)))
    np.flush()
    assert errors[0] == errors[2]
    # One element may be read without its array, of which the size is known.
    without_shape = [(kind, re.sub(r"shape \([\d, ]*\)", "", text)) for kind, text in errors]
    assert without_shape[0] == without_shape[1]


@pytest.mark.parametrize("make", READ.values(), ids=READ)
def test_what_no_machine_holds_is_not_computed_for_nobody(make: Callable[[Any], Any]) -> None:
    make(np)
    np.flush()


@pytest.mark.parametrize(
    "flags",
    ["O", "W", ["OWNDATA"], ["C", "O"], ["F", "OWNDATA"], ["e", "owndata"], None, "CF", "x"],
)
@pytest.mark.parametrize("dtype", [None, "f8", "i4"])
def test_an_array_of_required_flags_is_itself(flags: Any, dtype: Any) -> None:
    def required(m: Any) -> list[Any]:
        whole = m.arange(6.0).reshape(2, 3).copy()
        fixed = m.ones(3)
        fixed.flags.writeable = False
        found = []
        for x in (whole, whole[1:], whole.T, fixed, [1, 2], m.array(["1"])):
            try:
                y = m.require(x, dtype, flags)
            except (KeyError, ValueError) as error:
                found.append(type(error))
                continue
            told = (y.flags.owndata, y.flags.writeable, y.flags.c_contiguous, y.flags.f_contiguous)
            found.append((y is x, told, y.tolist(), str(y.dtype), isinstance(y, m.ndarray)))
        return found

    assert required(np) == required(numpy)


@pytest.mark.parametrize("name", ["array", "asarray"])
def test_no_reference_to_the_dtype_is_lost(name: str) -> None:
    make, dtype = getattr(np, name), numpy.dtype(numpy.intp)
    before = sys.getrefcount(dtype)
    for _ in range(50):
        make([0, 1], dtype=dtype)
    assert sys.getrefcount(dtype) < before + 25
