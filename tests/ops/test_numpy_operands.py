"""Functions of NumPy's arrays, and those that NumPy's loop answers for few elements."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 "
    "complex64 complex128"
).split()


def outcome(function: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return numpy.asarray(function())
        except Exception as error:
            return type(error)


def check_same(found: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert isinstance(found, type)
        assert issubclass(expected, found)
    else:
        numpy.testing.assert_allclose(found, expected, rtol=2e-6, strict=True)


@pytest.mark.parametrize("name", ["dot", "inner", "vdot"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_vectors(name: str, dtype: str) -> None:
    """Of NumPy's arrays and of ours; backwards, repeated, with gaps, of few and of many."""
    for other, size in itertools.product((dtype, "float64", "int8"), (0, 1, 5, 3000)):
        a = (numpy.arange(size) % 7).astype(dtype)
        b = (numpy.arange(2 * size) % 5).astype(other)[::2]
        for x, y in ((a, b), (a[::-1], b), (a, b[::-1]), (numpy.broadcast_to(a[:1], size), b)):
            expected = outcome(lambda x=x, y=y: getattr(numpy, name)(x, y))
            ours = (x, np.array(x)), (y, np.array(y))
            for left, right in itertools.product(*ours):
                found = outcome(lambda x=left, y=right: getattr(np, name)(x, y))
                check_same(found, expected)


@pytest.mark.parametrize("name", ["dot", "inner", "vdot"])
def test_products_that_are_refused_or_of_more_axes(name: str) -> None:
    shapes = [(3,), (4,), (3, 4), (4, 3), (2, 3, 4), ()]
    for one, other in itertools.product(shapes, repeat=2):
        x, y = numpy.ones(one), numpy.ones(other)
        expected = outcome(lambda x=x, y=y: getattr(numpy, name)(x, y))
        for right in (y, np.array(y)):
            found = outcome(lambda x=x, y=right: getattr(np, name)(x, y))
            check_same(found, expected)
    for dtype in ("M8[s]", "object", ">f8", "longdouble"):
        x = numpy.arange(3).astype(dtype)
        expected = outcome(lambda x=x: getattr(numpy, name)(x, numpy.ones(3)))
        check_same(outcome(lambda x=x: getattr(np, name)(x, numpy.ones(3))), expected)


def test_products_see_what_numpys_arrays_hold_at_the_call() -> None:
    for size in (5, 5000):
        v = numpy.ones(size)
        found = np.dot(v, v), v @ np.ones(size), np.linalg.norm(v)
        v[:] = 7
        assert float(found[0]) == float(found[1]) == size
        assert float(found[2]) == pytest.approx(size**0.5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [None, 2, 1, numpy.inf, 0, 3])
def test_norms_of_numpys_vectors(dtype: str, order: Any) -> None:
    for size in (1, 5, 3000):
        x = (numpy.arange(2 * size) % 7).astype(dtype)[::2]
        for given in (x, x[::-1], x.reshape(-1, 1)):
            for keywords in ({}, {"axis": 0}, {"keepdims": True}):
                if given.ndim == 2 and order in (0, 3) and "axis" not in keywords:
                    continue
                args: Any = (given, order)
                expected = outcome(lambda a=args, k=keywords: numpy.linalg.norm(*a, **k))
                check_same(outcome(lambda a=args, k=keywords: np.linalg.norm(*a, **k)), expected)


def test_result_types() -> None:
    exact: list[Any] = [numpy.ones(2, dtype) for dtype in DTYPES]
    others: list[Any] = [
        numpy.dtype("q"), numpy.dtype("Q"), numpy.ones(2, "q"), numpy.dtype(">f8"), 1, -1, 2**40,
        2**63, 2**64, 1.5, 1j, True, numpy.float32(1), numpy.int8(1), "f4", float,
        numpy.dtype("M8[s]"), numpy.ones(2, object), numpy.array(1.0),
    ]  # fmt: skip
    for one, other in itertools.product(exact, [*exact, *others]):
        expected = outcome_of_dtype(lambda a=one, b=other: numpy.result_type(a, b))
        for left in (one, np.array(one), one.dtype):
            found = outcome_of_dtype(lambda a=left, b=other: np.result_type(a, b))
            assert found == expected
            assert getattr(found, "char", "") == getattr(expected, "char", "")
            found = outcome_of_dtype(lambda a=left, b=other: np.result_type(b, a))
            assert found == expected
    for one, other in itertools.combinations(others, 2):
        expected = outcome_of_dtype(lambda a=one, b=other: numpy.result_type(a, b))
        assert outcome_of_dtype(lambda a=one, b=other: np.result_type(a, b)) == expected
    for several in ((1, exact[1], 2.0), (exact[0], 1, exact[2]), (exact[3], exact[2], 1j)):
        ours = [np.array(a) if isinstance(a, numpy.ndarray) else a for a in several]
        assert np.result_type(*ours) == numpy.result_type(*several)


def outcome_of_dtype(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception as error:
        return type(error)


PUTS: list[tuple[Any, Any]] = [
    ([0, 2, -1], [1, 2, 3]), ([0, 2, -1], 7), ((1,), (2.5,)), ([], [1]), ([1, 2], []), (3, 4.5),
    ([0, 99], [1, 2]), ([5, 0, -99], [1, 2]), (numpy.array([1, 5]), numpy.array([2.0, 3.0])),
    (numpy.array([1, 5], "i4"), numpy.array([2.0])), (numpy.array([1.0, 5.0]), 1),
    ([[0, 1], [2, 3]], numpy.arange(4).reshape(2, 2)), ([0, 1, 2, 3, 4], [1, 2]), ([1], "text"),
    ([1], None), (None, 1), ([1], 1j), ([1, 1, 1], [4, 5, 6]), (numpy.arange(200) % 10, [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", "other"])
@pytest.mark.parametrize("dtype", ["float64", "int8", "complex64", "bool"])
@pytest.mark.parametrize("eager", [0, 64])
def test_put(mode: str, dtype: str, eager: int) -> None:
    def put(m: Any, array: Any, indices: Any, values: Any) -> Any:
        try:
            m.put(array, indices, values, mode)
        except Exception as error:
            return array, type(error)
        return array, None

    with np.config(eager_elements=eager), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for indices, values in PUTS:
            exact = numpy.zeros((2, 5), dtype)
            expected = put(numpy, exact, indices, values)
            given = [
                (indices, values),
                (np.array(indices) if isinstance(indices, numpy.ndarray) else indices,
                 np.array(values) if isinstance(values, numpy.ndarray) else values),
            ]  # fmt: skip
            for i, v in given:
                for array in (np.zeros((2, 5), dtype), numpy.zeros((2, 5), dtype)):
                    found = put(np, array, i, v)
                    assert found[1] is expected[1], (indices, values)
                    numpy.testing.assert_array_equal(numpy.asarray(found[0]), exact)


def test_put_into_what_is_pending_shared_or_read_only() -> None:
    x = np.zeros(1000) + 1.0
    np.put(x, [1, 2], [5.0, 6.0])
    assert x[:4].tolist() == [1.0, 5.0, 6.0, 1.0]
    y = x[::2]
    np.put(y, [0, 1], y[4:6] + 1.0)
    assert x[:4].tolist() == [2.0, 5.0, 2.0, 1.0]
    index = np.array([3, 4])
    assert np.arange(10)[index].tolist() == [3, 4]
    np.put(index, [0, 1], [7, 8])  # what is known of indices is known no more
    with pytest.raises(IndexError):
        np.arange(6)[index]
    shown = numpy.asarray(x)
    np.put(x, [9], [3.0])
    assert shown[9] == 3.0
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        np.put(x, [1], [2.0])
    copied = np.broadcast_arrays(np.zeros(3), np.zeros((1, 3)))[0]
    np.reset_stats()
    np.put(np.zeros(4), [1], [2.0])
    assert not np.stats()["fallbacks"]
    assert copied.shape == (1, 3)


@pytest.mark.parametrize(
    "subscripts",
    [
        "i,i->", "i,i", "i,i->i", "ij,jk->ik", "ij,jk", " ij , jk -> ki", "ij->ji", "ii->i", "ii",
        "ij,ij,ij->i", "...i,i->...", "ij,jk->", "i,j->ij", "aB,Bc->ac", "ij,jk,kl->il",
    ],
)  # fmt: skip
@pytest.mark.parametrize("extent", [0, 1, 3, 40, 70])
def test_einsum_of_few_is_no_fallback(subscripts: str, extent: int) -> None:
    rng = numpy.random.default_rng(extent)
    terms = subscripts.replace(" ", "").split("->")[0].split(",")
    exact = [
        rng.integers(-3, 4, (extent,) * len(t.replace("...", ".."))).astype(float) for t in terms
    ]
    expected = numpy.einsum(subscripts, *exact)
    for given in (exact, [np.array(a) for a in exact], [np.array(exact[0]), *exact[1:]]):
        np.reset_stats()
        for keywords in ({}, {"optimize": True}):
            found = np.einsum(subscripts, *given, **keywords)
            numpy.testing.assert_allclose(numpy.asarray(found), expected)
        if extent < 30:
            assert not np.stats()["fallbacks"]


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]), ("i,i->j", [(3,), (3,)]), ("ij", [(3,)]), ("i,", [(3,)]),
        ("i,i->", [(3,)]), ("i->i->i", [(3,)]), ("i1", [(3, 3)]), ("", [(3,)]),
        ("i,i", [(1,), (3,)]),
        ("ij,jk->ik", [(2000, 3), (4, 5000)]), ("i,i", [(1,), (9000,)]), ("ij", [(9000,)]),
    ],
)  # fmt: skip
def test_einsum_of_what_does_not_fit(subscripts: str, shapes: Any) -> None:
    exact = [numpy.ones(shape) for shape in shapes]
    expected = outcome(lambda: numpy.einsum(subscripts, *exact))
    check_same(outcome(lambda: np.einsum(subscripts, *exact)), expected)
    ours = [np.array(a) for a in exact]
    check_same(outcome(lambda: np.einsum(subscripts, *ours)), expected)
