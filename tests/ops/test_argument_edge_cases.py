"""Arguments at the edge of what a function takes, against NumPy."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome


def changed(array: Any, part: Any) -> Any:
    """`array` after all of `part` was changed: does it lie there?"""
    part[...] = 99
    return array


CASES: dict[str, Callable[[Any], Any]] = {
    "sinc of a half": lambda m: m.sinc(m.array([0, 1, 0.5], "f2")),
    "sinc of a half scalar": lambda m: m.sinc(np.float16(0)),
    "sinc": lambda m: m.sinc(m.array([0.0, -0.0, 1e-300])),
    "sinc of integers": lambda m: m.sinc(m.arange(-2, 3)),
    "arange by infinity": lambda m: m.arange(0, 1, np.inf),
    "arange down by infinity": lambda m: m.arange(0, 1, -np.inf),
    "arange by nan": lambda m: m.arange(0, 1, np.nan),
    "arange with a quotient of zero": lambda m: m.arange(0, 5e-324, 1e300),
    "take from an empty axis": lambda m: m.take(m.ones((3, 0)), [0], axis=1),
    "take from nothing": lambda m: m.take(m.ones(0), 0, mode="clip"),
    "take from an empty axis before another": lambda m: m.take(m.ones((0, 0)), [0], axis=0),
    "take by one index that wraps": lambda m: changed(
        a := m.ones((2, 3)), m.take(a, 3, axis=0, mode="wrap")
    ),
    "take by one index that is clipped": lambda m: changed(
        a := m.ones((2, 3)), a[:, ::2].take(m.array([3]).sum(), axis=1, mode="clip")
    ),
    **{
        f"{name} of bools and {value}": lambda m, name=name, value=value: getattr(m, name)(
            m.array([True, False]), value
        )
        for name in ("equal", "less", "greater_equal", "logical_and", "logical_xor", "add")
        for value in (2, -1, 2**63 - 1, 2**63, -(2**63), -(2**70))
    },
    **{
        f"logical_or of {dtype} and {value}": lambda m, dtype=dtype, value=value: m.logical_or(
            value, m.array([0, 1], dtype)
        )
        for dtype in ("i1", "u8", "f8", "c8")
        for value in (2, 2**63 - 1, 2**63, -(2**70))
    },
    **{
        f"ldexp of {dtype} by {value}": lambda m, dtype=dtype, value=value: m.ldexp(
            m.array([0, 1], dtype), value
        )
        for dtype in ("?", "i1", "f4", "f8")
        for value in (3, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63)
    },
    "select of an int beyond int64": lambda m: m.select([m.arange(3) > 1], [m.arange(3)], 2**63),
    "text in nothing": lambda m: m.full(0, "x", dtype=float),
    "None in nothing": lambda m: m.full_like(m.zeros((2, 0), int), None),
    "two numbers in nothing": lambda m: m.full((0, 3), [1.0, 2.0]),
    "sum under the mask None": lambda m: m.arange(3.0).sum(where=None),
    "reduce under the mask None": lambda m: m.add.reduce(m.arange(3.0), where=None),
    "maximum under the mask None": lambda m: m.max(m.arange(3.0), where=None, initial=-1.0),
    "any under the mask None": lambda m: m.any(m.arange(3.0), where=None),
    "all under the mask None": lambda m: m.all(m.arange(3.0), where=None),
    "add under the mask None": lambda m: m.add(1, 2, where=None, out=m.ones(2)),
    "zeros in the order K": lambda m: m.zeros(3, order="K"),
    "empty in the order A": lambda m: m.empty((2, 3), order="A"),
    "full in the order K": lambda m: m.full((2, 3), 1.0, order="K"),
    "zeros beyond it": lambda m: m.zeros(2**63, "u1"),
    "ones in no order": lambda m: m.ones((2, 3), order=None),
    "copyto with a number for casting": lambda m: m.copyto(m.zeros(3), 1.0, casting=1),
    "take into floats": lambda m: m.take(m.arange(9), [1, 2], out=m.zeros(2)),
    "take into float32": lambda m: m.take(m.arange(9.0), [1, 2], out=m.zeros(2, "f4")),
    "take into integers": lambda m: m.take(m.arange(9.0), [1, 2], out=m.zeros(2, "i4")),
    "put into nothing": lambda m: m.put(m.ones(0), 0, 1.0, mode="wrap"),
    "put nothing into nothing": lambda m: m.put(m.ones(0), [0], [], mode="clip"),
    "put nowhere": lambda m: m.put(m.ones(0), [], [1.0]),
    "argmax into floats": lambda m: m.argmax(m.ones((2, 3)), axis=0, out=m.ones(3)),
    "argmax into uint64": lambda m: m.argmax(m.ones((2, 3)), axis=0, out=m.ones(3, "u8")),
    "argmin into int8": lambda m: m.argmin(m.ones((2, 3)), axis=0, out=m.ones(3, "i1")),
    "argmin into a float": lambda m: m.array([2.0, 1.0]).argmin(out=m.array(0.0)),
    "ptp into more axes": lambda m: m.ptp(m.ones((2, 3)), axis=0, out=m.ones((3, 3))),
    "ptp into float32": lambda m: m.ptp(m.array([2.0**24 + 1, 1]), out=m.ones((), "f4")),
    "ptp over its array": lambda m: m.ptp(a := m.arange(9).reshape(3, 3), axis=0, out=a[1]),
    "round into more axes": lambda m: m.round(m.ones(3), 1, m.zeros((2, 3))),
    "round into no array": lambda m: m.round(m.ones(1), 1, [0.0]),
    "isreal of a number": lambda m: type(m.isreal(0)) is bool,
    "round at many decimals": lambda m: m.round(m.array([1.5, -2.25, 1e-290]), 290),
    "round at 27 decimals": lambda m: m.round(m.array([0.123456789, 1e-20, -3.3e-25]), 27),
    "round beyond all decimals": lambda m: m.isnan(m.round(m.array([1.5, 0.0]), 400)),
    "round before all decimals": lambda m: m.isnan(m.round(m.array([1.5, 0.0]), -400)),
    "squeeze of nothing": lambda m: (a := m.ones((2, 3))).squeeze() is a and m.squeeze(a) is a,
    "squeeze of a number": lambda m: (a := m.ones(())).squeeze(-1) is a,
    "accumulate along the only axis": lambda m: m.add.accumulate(m.arange(4), axis=None),
    "accumulate along no axis": lambda m: m.add.accumulate(m.ones((2, 2)), axis=None),
    "accumulate of a scalar": lambda m: m.add.accumulate(m.array(3), axis=None),
    "accumulate of a scalar along no axis of it": lambda m: m.add.accumulate(m.array(3), axis=1),
    "column_stack of a generator": lambda m: m.column_stack(x for x in [m.ones(3)]),
    "dstack of a generator": lambda m: m.dstack(x for x in [m.ones(3)]),
    "vstack of a generator": lambda m: m.vstack(x for x in [m.ones(3)]),
    "hstack of a generator": lambda m: m.hstack(x for x in [m.ones(3)]),
    "dot into rows apart": lambda m: m.dot(m.eye(2), m.eye(2), out=m.zeros((3, 3))[:2, :2]),
    "dot into another dtype": lambda m: m.dot(m.eye(2), m.eye(2), out=m.zeros((2, 2), "f4")),
    "dot into other axes": lambda m: m.dot(m.eye(2), m.ones(2), out=m.zeros((1, 2))),
    "dot into its own": lambda m: m.dot(m.eye(2), m.ones(2), out=m.zeros(2)),
    "dot of a number into its own": lambda m: m.dot(2.0, m.ones(2), out=m.zeros(2)),
    "astype of a list": lambda m: m.astype([1, 2], "f4"),
    "putmask of a list": lambda m: m.putmask([1, 2], [True, False], 3),
    "isclose of weak numbers": lambda m: m.isclose(
        m.array([1.0, 0.5], "f4"), 0.9999999999999998, atol=0, rtol=0
    ),
    "isclose with a weak first": lambda m: m.isclose(0.1, m.array([0.1], "f4"), 0, 0),
    "isclose of numbers": lambda m: m.isclose(1, 1.0),
    "isclose of whole numbers": lambda m: m.isclose(10**6, 10**6 + 1),
    "isclose of integers": lambda m: m.isclose(m.arange(3), m.array([0, 1, 3])),
    "isclose of nan": lambda m: m.isclose(m.array([np.nan, 1]), np.nan, equal_nan=True),
    "array_equal of text with equal_nan": lambda m: m.array_equal(
        m.array(["a"]), m.array(["a"]), equal_nan=True
    ),
    "array_equal of objects with equal_nan": lambda m: m.array_equal(
        m.array([None]), m.array([None]), equal_nan=True
    ),
    "array_equal of times with equal_nan": lambda m: m.array_equal(
        m.array(["NaT"], "m8[s]"), m.array(["NaT"], "m8[s]"), equal_nan=True
    ),
    "array_equal of strings without a value": lambda m: m.array_equal(
        *(m.array([np.nan, "a"], np.dtypes.StringDType(na_object=np.nan)) for _ in range(2)),
        equal_nan=True,
    ),
    "array_equal of other shapes with equal_nan": lambda m: m.array_equal(
        m.array(["a"]), m.array([["a"]]), equal_nan=True
    ),
    "isclose of times": lambda m: m.isclose(
        np.array([1, 5], "m8[s]"), np.array([2, 2], "m8[s]"), atol=np.timedelta64(1, "s"), rtol=0
    ),
    "isclose with rows of tolerances": lambda m: m.isclose(
        m.ones((2, 2)), 1.1, atol=m.array([0.0, 1.0])
    ),
    "isclose with a product of weak numbers": lambda m: m.isclose(
        m.array([1.0], "f4"), 2, atol=0, rtol=0.9999999999999998 / 2
    ),
    "put_along_axis by a matrix along no axis": lambda m: m.put_along_axis(
        m.zeros((2, 2)), m.zeros((2, 2), int), 1, None
    ),
    "add where a list of numbers": lambda m: m.add(m.ones(2), 1, out=m.zeros(2), where=[0, 1]),
    "add where a list of fractions": lambda m: m.add(m.ones(2), 1, out=m.zeros(2), where=(0.5, 0)),
    "add where an array of numbers": lambda m: m.add(
        m.ones(2), 1, out=m.zeros(2), where=m.array([0, 1])
    ),
    "add where a list of arrays": lambda m: m.add(
        m.ones((2, 2)), 1, out=m.zeros((2, 2)), where=[m.array([True, False])] * 2
    ),
    "add where uneven lists": lambda m: m.add(m.ones(2), 1, out=m.zeros(2), where=[[1], [1, 2]]),
    "sum where a list": lambda m: m.sum(m.arange(3), where=[1, 0, 1]),
    "reduce where a list": lambda m: m.add.reduce(m.arange(3), where=[1, 0, 1]),
    "max where a list": lambda m: m.arange(3).max(where=[1, 1, 0], initial=0),
    "mean where a list": lambda m: m.mean(m.arange(3), where=[1, 0, 1]),
    "nansum where a list": lambda m: m.nansum(m.arange(3.0), where=[1, 0, 1]),
    "iscomplex of text": lambda m: m.iscomplex(np.array(["a", "b"])),
    "iscomplex of a number": lambda m: m.iscomplex(3),
    "iscomplex of objects": lambda m: m.iscomplex(np.array([1, 2j], object)),
    "putmask of a named array": lambda m: m.putmask(a=m.ones(3), mask=[1, 0, 1], values=2),
    "dot into a list": lambda m: m.dot(m.eye(2), m.ones(2), out=[0.0, 0.0]),
    "arange from a named start": lambda m: m.arange(start=3),
    "arange from a named start by steps": lambda m: m.arange(start=1, step=2),
    "arange to a named stop": lambda m: m.arange(stop=3),
    "arange of bools": lambda m: m.arange(False, True),
    "reshape to None": lambda m: m.ones((2, 3)).reshape(None),
    "reshape to None in an order": lambda m: m.ones((2, 3)).reshape(None, order="F"),
    "reshape to two of None": lambda m: m.ones((2, 3)).reshape(None, None),
    "reshape to None by the function": lambda m: m.reshape(m.ones((2, 3)), None),
    "tensordot of a matrix by a vector": lambda m: m.tensordot(m.ones((2, 3)), m.ones(3)),
    "tensordot along no axis of a vector": lambda m: m.tensordot(m.ones((3, 3)), m.ones(3)),
    "linspace elsewhere": lambda m: m.linspace(0, 1, 3, device="gpu"),
    "linspace of whole numbers elsewhere": lambda m: m.linspace(0, 1, 3, dtype=int, device="gpu"),
    "linspace here": lambda m: m.linspace(0, 1, 3, device="cpu"),
    "astype elsewhere": lambda m: m.astype(m.ones(2), "i4", device="gpu"),
    "astype here": lambda m: m.astype(m.ones(2), "i4", device="cpu"),
    "astype of a number of Python's": lambda m: m.astype(3.5, "i4"),
    "astype of a number of Python's elsewhere": lambda m: m.astype(3.5, "i4", device="gpu"),
    "can_cast to an array": lambda m: m.can_cast("i4", m.ones(2)),
    "can_cast of an array": lambda m: m.can_cast(m.ones(2), "f4"),
    "unstack of a list": lambda m: m.unstack([[1, 2], [3, 4]]),
    "unstack of a number": lambda m: m.unstack(3.5),
    "take_along_axis of a list": lambda m: m.take_along_axis([1, 2], m.array([0]), 0),
    "take_along_axis by a list": lambda m: m.take_along_axis(m.ones(2), [0], 0),
    "tile of nothing a negative number of times": lambda m: m.tile(m.ones(0), -1),
    "tile of no rows a negative number of times": lambda m: m.tile(m.ones((0, 3)), (-2, 2)),
    "tile of no rows into less than no columns": lambda m: m.tile(m.ones((0, 3)), (1, -2)),
    "count_nonzero that keeps None": lambda m: m.count_nonzero(m.arange(4), keepdims=None),
    "count_nonzero that keeps text": lambda m: m.count_nonzero(m.arange(4), keepdims="x"),
    "norm that keeps None": lambda m: m.linalg.norm(m.ones((2, 2)), keepdims=None),
    "norm of a matrix that keeps None": lambda m: m.linalg.norm(m.ones((2, 2)), 1, keepdims=None),
    "norm of a vector that keeps None": lambda m: m.linalg.norm(m.ones(2), 3, keepdims=None),
    "matrix_norm that keeps None": lambda m: m.linalg.matrix_norm(m.ones((2, 2)), keepdims=None),
}


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name: str) -> None:
    ours, theirs = (
        repr(case_outcome(CASES[name], m)) for m in (hs, np)
    )  # a nan is no other's equal
    assert ours == theirs


def test_round_of_integers_keeps_the_order() -> None:
    ours = hs.asfortranarray(hs.arange(6).reshape(2, 3)).round()
    assert ours.flags.f_contiguous
    assert not ours.flags.c_contiguous


def test_a_number_in_another_dtype_is_a_number() -> None:
    assert type(hs.astype(np.float64(2.5), "i4")) is np.int32


def test_round_to_decimals_and_products_with_numbers_lie_as_numpys() -> None:
    """The first in columns where its array does, else in rows; the second always in rows."""
    for axes in [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)]:
        for given in [(3, 4, 5), (1, 4, 5)]:
            theirs = np.arange(float(np.prod(given))).reshape(given).transpose(axes)
            ours = hs.arange(float(np.prod(given))).reshape(given).transpose(axes)
            for decimals in (1, -1, 0):
                wanted, found = theirs.round(decimals), ours.round(decimals)
                assert found.flags.c_contiguous == wanted.flags.c_contiguous
                assert found.flags.f_contiguous == wanted.flags.f_contiguous
    assert hs.dot(hs.ones((3, 4)).T, 2).flags.c_contiguous
    assert hs.dot(2, hs.ones((3, 4)).T).flags.c_contiguous


def test_parts_of_a_number_are_numbers() -> None:
    assert type(hs.real(3)) is int
    assert type(hs.imag(3.0)) is float
    assert type(hs.imag(1 + 2j)) is float


def test_isclose_tells_of_tolerances_that_are_not_finite() -> None:
    with pytest.warns(RuntimeWarning, match="One of rtol or atol is not valid"):
        hs.isclose(1.0, 1.0, rtol=np.nan)
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        hs.isclose(1.0, 1.0, atol=hs.array([np.inf]))
    with np.errstate(invalid="ignore"):
        hs.isclose(1.0, 1.0, atol=np.inf)


KEEPDIMS = [True, False, 1, 0, 2, None, 1.0, "a", np.True_, np.int8(1), [1], np.array(1)]
AXES = [
    True, False, np.True_, np.int8(1), 1.0, None, "a", (1,), (True,), (), (0, 1), [0],
    np.array(1), np.array(True),
]  # fmt: skip
REDUCTIONS = [
    "sum", "prod", "max", "any", "mean", "std", "nansum", "nanmean", "nanvar", "median",
    "average", "argmax", "count_nonzero",
]  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_keepdims_is_an_integer(name: str) -> None:
    for keepdims in KEEPDIMS:
        cases: list[Callable[[Any], Any]] = [
            lambda m, k=keepdims: getattr(m, name)(m.ones((2, 3)), axis=0, keepdims=k),
            lambda m, k=keepdims: m.add.reduce(m.ones((2, 3)), 0, keepdims=k),
        ]
        if hasattr(np.ndarray, name):
            cases.append(lambda m, k=keepdims: getattr(m.ones((2, 3)), name)(0, keepdims=k))
        for case in cases:
            assert case_outcome(case, hs) == case_outcome(case, np), keepdims


POSITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "item": lambda m, k: m.ones((4, 4)).item(k),
    "item of a row": lambda m, k: m.ones((4, 4)).item(1, k),
    "reshape": lambda m, k: m.ones((4, 4)).reshape(16, k),
    "reshape by one": lambda m, k: m.ones(1).reshape(k),
    "ones": lambda m, k: m.ones(k),
    "zeros": lambda m, k: m.zeros((2, k)),
    "full": lambda m, k: m.full(k, 2),
    "broadcast_to": lambda m, k: m.broadcast_to(m.ones(1), k),
    "sum": lambda m, k: m.ones((4, 4)).sum(k),
    "reduce": lambda m, k: m.add.reduce(m.ones((4, 4)), k),
    "reduce along a tuple": lambda m, k: m.add.reduce(m.ones((4, 4)), axis=(k,)),
    "accumulate": lambda m, k: m.add.accumulate(m.ones((4, 4)), k),
    "cumsum": lambda m, k: m.ones((4, 4)).cumsum(k),
    "argmax": lambda m, k: m.ones((4, 4)).argmax(k),
    "mean": lambda m, k: m.ones((4, 4)).mean(k),
    "swapaxes": lambda m, k: m.ones((4, 4)).swapaxes(k, 0),
    "diagonal": lambda m, k: m.ones((4, 4)).diagonal(0, k, 0),
    "transpose": lambda m, k: m.ones((4, 4)).transpose(k, 0),
    "squeeze": lambda m, k: m.ones((4, 1)).squeeze(k),
    "concatenate": lambda m, k: m.concatenate([m.ones((4, 4))] * 2, k),
    "moveaxis": lambda m, k: m.moveaxis(m.ones((4, 4)), k, 0),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_bools_are_no_positions(name: str) -> None:
    for given in AXES:
        ours, theirs = (case_outcome(lambda m, k=given: POSITIONS[name](m, k), m) for m in (hs, np))
        assert ours == theirs, given


@pytest.mark.parametrize("name", ["shape", "strides", "dtype", "real", "imag", "flat"])
def test_attributes_that_nobody_deletes(name: str) -> None:
    for m in (hs, np):
        with pytest.raises(AttributeError):
            delattr(m.ones(2, complex), name)


@pytest.mark.parametrize("name", ["writeable", "aligned", "writebackifcopy"])
def test_flags_that_nobody_deletes(name: str) -> None:
    for m in (hs, np):
        with pytest.raises(AttributeError):
            delattr(m.ones(2).flags, name)


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
def test_products_are_repeated_in_outputs_of_more_axes(name: str) -> None:
    if not hasattr(np, name):
        pytest.skip(f"this NumPy has no {name}")
    shapes = [(3,), (2, 3), (3, 3), (2, 1, 3), (2, 3, 2)]
    outputs = [(), (1,), (3,), (2, 2), (3, 3), (5, 3), (5, 4, 3), (4, 2, 2), (0, 3), (2, 1, 3)]

    def product(m: Any, left: Any, right: Any, out: Any) -> Any:
        a, b = (m.arange(1.0, np.prod(shape) + 1).reshape(shape) for shape in (left, right))
        target = m.full(out, 7.0)
        assert getattr(m, name)(a, b, out=target) is target
        return target

    for case in itertools.product(shapes, shapes, outputs):
        ours, theirs = (case_outcome(lambda m, c=case: product(m, *c), m) for m in (hs, np))
        assert ours == theirs, case


@pytest.mark.parametrize("count", [1.5, 2.0, np.float64(1), "1", None, True, np.int8(1), [1], -1])
@pytest.mark.parametrize("name", ["round", "tile"])
def test_counts_are_integers(name: str, count: Any) -> None:
    def run(m: Any, array: Any) -> Any:
        try:
            return np.asarray(getattr(m, name)(m.asarray(array), count)).tolist()
        except Exception as error:
            return type(error)

    for array in (np.array([1.26, 12.0]), np.array(2.5), np.array([1, 23]), np.zeros((0, 3))):
        assert run(hs, array) == run(np, array)


@pytest.mark.parametrize("axis", [0, -1, 1, -2, (0,), (), None])
def test_squeeze_of_no_axes(axis: Any) -> None:
    def run(m: Any) -> Any:
        try:
            return m.squeeze(m.array(2.5), axis).shape
        except Exception as error:
            return type(error)

    assert run(hs) == run(np)


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "mean", "nansum"])
@pytest.mark.parametrize("dtype", ["f4", "i2", "c8", "?"])
def test_reductions_of_complex_in_real_numbers(name: str, dtype: str) -> None:
    def run(m: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = getattr(m, name)(m.array([1 + 2j, 3]), dtype=dtype).tolist()
        return found, {warning.category for warning in caught}

    assert run(hs) == run(np)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["i2", "i8", "f2", "f4"])
@pytest.mark.parametrize("last", [np.nan, 2.5, 1e300])
def test_scans_of_floats_in_narrower_numbers(name: str, dtype: str, last: float) -> None:
    def run(m: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            whole = m.array([[1.5, 2.0], [3.0, last]])
            found = [getattr(m, name)(whole, axis=k, dtype=dtype).tolist() for k in (0, 1, None)]
        return repr(found), {warning.category for warning in caught}

    for few in (0, 64):
        with hs.config(eager_elements=few):
            assert run(hs) == run(np)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("count", [1, 40])
def test_spacing_of_what_has_none(dtype: str, count: int) -> None:
    top = np.finfo(dtype).max
    for value in (np.inf, -np.inf, np.nan, -np.nan, top, -top, -0.0, -1.0):

        def run(m: Any, value: Any = value) -> Any:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = np.asarray(m.spacing(m.array([value] * count, dtype)))
            return repr(found), np.signbit(found).tolist(), [str(w.message) for w in caught]

        assert run(hs) == run(np), value


def test_a_result_is_named_once() -> None:
    for library in (np, hs):
        a, out = library.ones(3), library.zeros(3)
        with pytest.raises(TypeError, match="both a positional and keyword"):
            library.add(a, 2, None, out=out)
        assert library.add(a, 2, None).tolist() == [3.0] * 3


@pytest.mark.parametrize("mask", [True, np.True_, 1, np.int64(1), False, [True, False]], ids=repr)
def test_masks_that_leave_memory_as_it_is_are_told_of(mask: Any) -> None:
    def told(m: Any) -> list[type]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            m.exp(m.ones(2), where=mask)
        return [one.category for one in caught]

    assert told(hs) == told(np)


@pytest.mark.parametrize("mode", ["call", "log"])
def test_a_condition_that_nobody_is_there_to_hear_of(mode: Any) -> None:
    for library in (np, hs):
        with library.errstate(divide=mode, call=None), pytest.raises(NameError, match=r"by zero"):
            np.asarray(library.ones(3) / 0.0)
