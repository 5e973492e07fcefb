"""Functions of arrays whose dtypes have no kernels give what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome

CASES: dict[str, Callable[[Any], Any]] = {
    "text equal to numbers": lambda m: m.array([1, 2]) == np.array(["1", "b"]),
    "text unequal to numbers": lambda m: m.array([[1.0], [2.0]]) != np.array(["1", "b"]),
    "a list of text equal to numbers": lambda m: m.array([1, 2]) == ["1", "b"],
    "text less than numbers": lambda m: m.array([1, 2]) < np.array(["1", "b"]),
    "text of another shape": lambda m: m.array([1, 2]) == np.array(["1", "b", "c"]),
    "eye of text": lambda m: m.eye(2, 3, 1, dtype="U3"),
    "eye of objects": lambda m: m.eye(2, dtype=object),
    "identity of long doubles": lambda m: m.identity(2, dtype="g"),
    "linspace of objects": lambda m: m.linspace(0, np.array(4, object), 3),
    "mean of objects": lambda m: m.mean(np.array([1, 2, 3], object)),
    "var of objects": lambda m: m.var(np.array([[1, 2, 4]], object), axis=1),
    "std of objects": lambda m: m.std(np.array([1, 2, 4], object), ddof=1),
    "mean of long doubles": lambda m: m.mean(np.ones((2, 3), "g"), axis=0, keepdims=True),
    "vdot of objects": lambda m: m.vdot(np.array([1j, 2], object), np.array([1j, 2], object)),
    "count of records": lambda m: m.count_nonzero(
        np.array([(0, [0, 1]), (0, [0, 0])], [("a", "i4"), ("b", "i4", (2,))])
    ),
    "count of text": lambda m: m.count_nonzero(np.array([["a", ""], ["", ""]]), axis=0),
}


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name: str) -> None:
    assert case_outcome(CASES[name], hs) == case_outcome(CASES[name], np)


@pytest.mark.parametrize("dtype", ["O", "U2", "g", ">i4", "m8[s]"])
def test_putmask_of_dtypes_without_kernels(dtype: str) -> None:
    ours, theirs = (np.array([1, 2, 3]).astype(dtype) for _ in range(2))
    value = np.array(7).astype(dtype)
    hs.putmask(ours, hs.array([True, False, True]), value)
    np.putmask(theirs, [True, False, True], value)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]", "U3", "S3", "O", "g", "V8"])
@pytest.mark.parametrize("value", [3, 2.5, True])
def test_an_element_set_to_an_array_without_axes(dtype: str, value: Any) -> None:
    def outcome(m: Any) -> Any:
        array = m.zeros(3, dtype)
        try:
            array[0] = m.array(value)
            array[1:] = m.array([value, value])[1]
        except (TypeError, ValueError) as error:
            return type(error)
        return array.tolist()

    assert outcome(hs) == outcome(np)


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">c16", "U3", "O", "g", "m8[s]"])
@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_array_keeps_dtype_and_layout(dtype: str, order: str) -> None:
    source = np.arange(6).astype(dtype).reshape(2, 3)

    def layout(m: Any, given: Any, **options: Any) -> Any:
        try:
            made = m.array(given, order=order, **options)
        except ValueError:
            return ValueError
        flags = made.flags
        shared = np.shares_memory(made, source)
        return (
            made.dtype, made.shape, made.tolist(), flags.c_contiguous, flags.f_contiguous, shared,
        )  # fmt: skip

    for given in (source, source.T, source[:, ::2]):
        for copy in (True, False, None):
            for ndmin in (0, 2, 4):
                options = {"copy": copy, "ndmin": ndmin}
                assert layout(hs, given, **options) == layout(np, given, **options)


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_asarray_shares_what_has_the_order(order: str) -> None:
    for view in (
        lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a.transpose(0, 2, 1)
    ):  # fmt: skip
        ours, theirs = (view(m.ones((2, 3, 4))) for m in (hs, np))
        shared = [m.asarray(a, order=order) is a for m, a in ((hs, ours), (np, theirs))]
        assert shared[0] == shared[1]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "diag": lambda m, x: m.diag(x),
    "diag of a vector": lambda m, x: m.diag(x[0]),
    "dot": lambda m, x: m.dot(x, x),
    "dot with ours": lambda m, x: m.dot(m.eye(2), x),
    "inner": lambda m, x: m.inner(x, x),
    "vdot": lambda m, x: m.vdot(x, x),
    "outer": lambda m, x: m.outer(x, x),
    "matmul": lambda m, x: m.matmul(x, x),
    "array of one": lambda m, x: m.array(x),
    "asarray": lambda m, x: m.asarray(x),
    "asarray native": lambda m, x: m.asarray(x, "f8"),
    "zeros_like": lambda m, x: m.zeros_like(x),
    "full_like": lambda m, x: m.full_like(x, 3),
    "concatenate": lambda m, x: m.concatenate([x, x]),
    "sum": lambda m, x: m.sum(x, axis=0),
    "mean": lambda m, x: m.mean(x, axis=0),
    "add": lambda m, x: x + m.ones((2, 2)),
    "sort": lambda m, x: m.sort(x),
    "flip": lambda m, x: m.flip(x),
    "tile": lambda m, x: m.tile(x, 2),
    "repeat": lambda m, x: m.repeat(x, 2),
    "where": lambda m, x: m.where(x == x, x, x),
    "isreal": lambda m, x: m.isreal(x),
    "gradient": lambda m, x: m.gradient(x),
}


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">c16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_foreign_byte_orders_as_numpy(name: str, dtype: str) -> None:
    x = np.arange(1, 5).reshape(2, 2).astype(dtype)
    case = FUNCTIONS[name]
    assert case_outcome(lambda m: case(m, x), hs) == case_outcome(lambda m: case(m, x), np)


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype("i4", metadata={"enum": {"A": 1}}),
        np.dtype(("i4", [("a", "<i2"), ("b", "<i2")])),
    ],
    ids=["metadata", "fields"],
)
def test_dtypes_that_say_more_than_a_number_stay(dtype: np.dtype[Any]) -> None:
    made = [
        hs.zeros(2, dtype), hs.array([1, 2], dtype), hs.ones(2).astype(dtype),
        hs.asarray(hs.arange(2), dtype=dtype), hs.empty_like(hs.ones(2), dtype=dtype),
    ]  # fmt: skip
    for array in made:
        assert array.dtype == dtype
        assert array.dtype.metadata == dtype.metadata
        assert array.dtype.names == dtype.names
    total = made[1] + hs.arange(2)
    assert total.tolist() == [1, 3]
    assert total.dtype == (np.array([1, 2], dtype) + np.arange(2)).dtype
    out = np.zeros(2, dtype)
    assert hs.add(hs.arange(2), 1, out=out) is out
    assert out.tolist() == [1, 2]
