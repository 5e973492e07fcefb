"""The ufunc objects: keywords, outputs, methods and errors as NumPy's."""

from __future__ import annotations

import itertools
import operator
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from hassium import _core, debug

UFUNCS: dict[str, Any] = _core.ufuncs
ROWS = {row["name"]: row for row in _core.op_table()}
ELEMENTWISE = [n for n, row in ROWS.items() if "ufunc" in row["flags"] and row["class"] == "map"]
FOLDS = [n for n in ELEMENTWISE if "reducible" in ROWS[n]["flags"]]


def same(ours: Any, theirs: Any) -> None:
    """Equal in dtype, shape and every bit but those of nan, scalar or array alike."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        assert len(ours) == len(theirs)
        for o, t in zip(ours, theirs, strict=True):
            same(o, t)
        return
    got = np.asarray(ours)
    assert got.dtype == theirs.dtype
    assert got.shape == theirs.shape
    np.testing.assert_array_equal(got, theirs)


def outcome(call: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return call(), None
    except Exception as error:
        return None, error


def evaluated(result: Any) -> Any:
    """Reads what was recorded."""
    for part in result if isinstance(result, tuple) else (result,):
        np.asarray(part)
    return result


def both(function: Callable[[Any], Any]) -> None:
    """The same statement on both modules: the same result, or the same kind of error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, error = outcome(lambda: function(np))
        ours, our_error = outcome(lambda: evaluated(function(hs)))
        if error is None:
            assert our_error is None, repr(our_error)
            same(ours, theirs)
            return
        # NumPy's kinds of UFuncTypeError show that name. Whether it misses a loop or a signature
        # depends on the calls before.
        no_loop = type(error) is np._core._exceptions._UFuncNoLoopError
        names = [kind.__name__ for kind in type(our_error).__mro__]
        assert ("TypeError" if no_loop else type(error).__name__) in names, (our_error, error)


def test_the_objects() -> None:
    add = UFUNCS["add"]
    assert hs.add is add
    assert repr(add) == "<ufunc 'add'>"
    assert (add.nin, add.nout, add.nargs, add.ntypes) == (2, 1, 3, np.add.ntypes)
    assert add.identity == 0
    assert add.types == np.add.types
    assert add.signature is None
    assert add.__name__ == "add"
    assert add.__doc__ == f"{np.add.__doc__}\n\nhassium: native.\n"
    assert isinstance(add, hs.ufunc)
    assert isinstance(np.add, hs.ufunc)
    assert not isinstance(3, hs.ufunc)
    assert hs.abs is hs.absolute
    assert pickle.loads(pickle.dumps(add)) is add
    public = {n for n, u in vars(np).items() if isinstance(u, np.ufunc)}
    assert public <= set(UFUNCS)


def test_numbers_are_compared_as_bools_where_asked() -> None:
    """Not against NumPy, whose answer depends on what it resolved before (test_dtype_rules.py)."""
    numbers = hs.array([3, 2, -1], "i1")
    assert UFUNCS["greater"].accumulate(numbers, dtype=bool).tolist() == [True, False, False]
    assert not UFUNCS["greater"].reduce(numbers, dtype=bool)
    assert UFUNCS["equal"].reduce(numbers, dtype=bool)


CALLS: list[Callable[[Any], Any]] = [
    lambda m: m.add(m.arange(3.0), 1),
    lambda m: m.add(m.arange(3.0), m.arange(3)[:, None]),
    lambda m: m.add([1, 2], [3.5, 4]),
    lambda m: m.add(m.ones(3, "f4"), 1.5),
    lambda m: m.add(m.ones(3, "f4"), np.float64(1.5)),
    lambda m: m.add(m.ones(3), m.ones(4)),
    lambda m: m.add(m.ones(3)),
    lambda m: m.add(m.ones(3), 1, m.ones(3), m.ones(3)),
    lambda m: m.add(m.ones(3), 1, m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, None),
    lambda m: m.add(m.ones(3), 1, out=m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, out=(m.zeros(3),)),
    lambda m: m.add(m.ones(3), 1, out=(m.zeros(3), m.zeros(3))),
    lambda m: m.add(m.ones(3), 1, out=()),
    lambda m: m.add(m.ones(3), 1, out=[m.zeros(3)]),
    lambda m: m.add(m.ones(3), 1, m.zeros(3), out=m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, out=m.zeros((2, 3))),
    lambda m: m.add(m.ones((2, 3)), 1, out=m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, out=m.zeros(1)),
    lambda m: m.add(m.ones(3), 1, out=m.zeros(4)),
    lambda m: m.add(m.ones(3), 1.5, out=m.zeros(3, "i4")),
    lambda m: m.add(m.ones(3), 1.5, out=m.zeros(3, "i4"), casting="unsafe"),
    lambda m: operator.ifloordiv(m.ones(3, bool), 7),
    lambda m: operator.itruediv(m.ones(3, int), 2),
    lambda m: m.divmod(m.ones(3), 2, out=(m.ones(3), m.ones(3, int))),
    lambda m: m.add(m.ones(3, int), 1.5, dtype=int),
    lambda m: m.vecdot(m.ones(3), m.ones(3), out=m.zeros((), int)),
    lambda m: m.add(m.array(["a"]), m.ones(1)),
    lambda m: m.add(m.ones(3), 1.5, out=m.zeros(3, "f4")),
    lambda m: m.add(m.ones(3), 1.5, out=m.zeros(3, "c8")),
    lambda m: m.add(m.ones(3), 1.5, out=np.zeros(3)),
    lambda m: m.add(m.ones(3), 1, where=m.array([True, False, True]), out=m.zeros(3)),
    lambda m: m.add(m.ones((2, 3)), 1, where=m.array([[True], [False]]), out=m.zeros((2, 3))),
    lambda m: m.add(m.ones(3), 1, where=[True, False, True], out=m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, where=False, out=m.zeros(3)),
    lambda m: m.add(m.ones(3), 1, where=True),
    lambda m: m.add(m.ones(3), 1, where=m.ones(3), out=m.zeros(3)),
    lambda m: m.add(m.ones(1), 1, where=m.ones(3, bool)),
    lambda m: m.add(m.ones(3), 1, dtype="f4"),
    lambda m: m.add(m.ones(3), 1, dtype="i4"),
    lambda m: m.add(m.ones(3), 1, dtype="i4", casting="unsafe"),
    lambda m: m.add(m.ones(3), 1, dtype=m.float32),
    lambda m: m.add(m.ones(3), 1, signature="ff->f"),
    lambda m: m.add(m.ones(3), 1, sig="dd->d"),
    lambda m: m.add(m.ones(3), 1, signature="dd->d", dtype="f8"),
    lambda m: m.add(m.ones(3), 1, casting="no"),
    lambda m: m.add(m.ones(3), m.ones(3, "i4"), casting="no"),
    lambda m: m.add(m.ones(3), m.ones(3, "i4"), casting="safe"),
    lambda m: m.add(m.ones(3), 1, casting="sometimes"),
    lambda m: m.add(m.ones(3), 1, order="Z"),
    lambda m: m.add(m.ones(3), 1, subok=False),
    lambda m: m.add(m.ones(3), 1, subok=None),
    lambda m: m.matmul(m.ones((2, 2)), m.ones((2, 2)), where=True),
    lambda m: m.vecdot(m.ones(2), m.ones(2), where=m.ones(2, bool)),
    lambda m: m.matvec(m.ones((2, 2)), m.ones(2), subok=1),
    lambda m: m.add(m.ones(3), 1, frobnicate=1),
    lambda m: m.sqrt(m.ones(3), m.ones(3), m.ones(3)),
    lambda m: m.sqrt(m.arange(4), out=m.zeros(4)),
    lambda m: m.sqrt(m.array(4.0)),
    lambda m: m.sqrt(4.0),
    lambda m: m.divmod(m.arange(5), 2),
    lambda m: m.divmod(m.arange(5), 2, out=(m.zeros(5, int), None)),
    lambda m: m.divmod(m.arange(5), 2, m.zeros(5, int)),
    lambda m: m.divmod(m.arange(5), 2, out=m.zeros(5, int)),
    lambda m: m.modf(m.arange(5) / 2),
    lambda m: m.frexp(m.arange(5.0)),
    lambda m: m.ldexp(m.arange(3.0), m.arange(3)),
    lambda m: m.power(m.arange(4), 2),
    lambda m: m.power(m.arange(4), -1),
    lambda m: m.power(m.arange(4), m.array([1, 1, -1, 1])),
    lambda m: m.power(m.arange(4.0) + 1, -1),
    lambda m: m.power.reduce(m.array([2, -1])),
    lambda m: m.power.reduce(m.array([-2, 1])),
    lambda m: m.power.reduce(m.array([2, -1]), dtype=float),
    lambda m: m.power.reduce(m.array([[1, 2], [3, -4]]), axis=0),
    lambda m: m.power.reduce(m.array([[1, 2], [3, -4]]), axis=()),
    lambda m: m.power.accumulate(m.array([[2, 3], [-1, 2]]), axis=0),
    lambda m: m.power.accumulate(m.array([[2, 3], [-1, 2]]), axis=1),
    lambda m: m.power.accumulate(m.zeros(0, int)),
    lambda m: m.logical_or(m.arange(3), m.arange(3.0), casting="safe"),
    lambda m: m.logical_and(m.arange(3), m.arange(3.0), casting="no"),
    lambda m: m.equal.reduce(m.ones((2, 2)), axis=None),
    lambda m: m.subtract.reduce(m.ones((2, 2)), axis=None),
    lambda m: m.hypot.reduce(m.array(-2.0)),
    lambda m: m.hypot.reduce(m.array([-2.0, 3]), axis=()),
    lambda m: m.add.reduce(m.array(-0.0)),
    lambda m: m.arange(4) ** 2,
    lambda m: m.arange(4) ** -1,
    lambda m: m.arange(4.0) ** 2,
    lambda m: m.arange(4.0) ** 0.5,
    lambda m: m.arange(1, 4.0) ** -1,
    lambda m: m.ones(3, bool) ** 2,
    lambda m: 2 ** m.arange(4),
    lambda m: m.ones(3, "i1") + 300,
    lambda m: m.ones(3, "u1") - 1,
    lambda m: m.ones(3, "u1") + (-1),
    lambda m: m.ones(3, "i1") < 300,
    lambda m: m.ones(3, "i1") == 300,
    lambda m: m.ones(3, "u1") > -1,
    lambda m: m.ones(3, "u1") > -1,
    lambda m: m.ones(3, "i8") < 10**30,
    lambda m: m.array([2**63 - 1]) < m.array([2**63], "u8"),
    lambda m: m.array([-1]) == m.array([2**64 - 1], "u8"),
    lambda m: -m.ones(2, bool),
    lambda m: m.ones(2, bool) - m.ones(2, bool),
    lambda m: ~m.ones(2),
    lambda m: m.ones(2) @ m.ones(2),
    lambda m: m.ones((2, 3)) @ m.arange(3),
    lambda m: m.ones((2, 3)) @ m.ones((2, 3)),
    lambda m: m.matmul(m.arange(6.0).reshape(2, 3), m.arange(6.0).reshape(3, 2)),
    lambda m: m.matmul(m.ones((4, 2, 3)), m.ones((3, 2)), out=m.zeros((4, 2, 2))),
    lambda m: m.matmul(m.ones((2, 3)), m.ones((3, 2)), out=m.zeros((2, 2), "f4")),
    lambda m: m.matmul(m.ones((2, 3)), m.ones((3, 2)), out=m.zeros((3, 3))),
    lambda m: m.matmul(m.ones((2, 3)), 3),
    lambda m: m.matmul(m.ones((2, 0)), m.ones((0, 2))),
    lambda m: m.vecdot(m.ones((2, 3)), m.arange(3)),
    lambda m: m.matvec(m.ones((2, 3)), m.arange(3)),
    lambda m: m.vecmat(m.arange(2), m.ones((2, 3))),
    lambda m: m.isnat(m.ones(3)),
    lambda m: m.add(m.ones(3), None),
]


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: Callable[[Any], Any]) -> None:
    both(call)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_row_runs(name: str) -> None:
    """One call of each row, with the value that any of its loops takes."""
    nin = getattr(np, name).nin
    dtype = next(t for t in ("float64", "int64") if t in ROWS[name]["loops"])
    ins = [np.ones((2, 3), dtype)] * nin
    if name == "ldexp":
        ins[1] = np.ones((2, 3), int)
    with np.errstate(all="ignore"):
        theirs = getattr(np, name)(*ins)
        ours = evaluated(UFUNCS[name](*map(hs.array, ins)))
    for o, t in zip(
        ours if nin and isinstance(ours, tuple) else (ours,),
        theirs if isinstance(theirs, tuple) else (theirs,),
        strict=True,
    ):
        assert np.asarray(o).dtype == t.dtype
        np.testing.assert_allclose(np.asarray(o), t, rtol=1e-15)


REDUCTIONS: list[Callable[[Any], Any]] = [
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3)),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=1),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=None),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=(0, 1)),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=()),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=-1, keepdims=True),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=2),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=(0, 0)),
    lambda m: m.add.reduce(m.arange(6.0).reshape(2, 3), axis=1.0),
    lambda m: m.add.reduce(m.ones((2, 3), "i1")),
    lambda m: m.add.reduce(m.ones((2, 3), "u2")),
    lambda m: m.add.reduce(m.ones((2, 3), bool)),
    lambda m: m.add.reduce(m.ones((2, 3)), dtype="i4"),
    lambda m: m.add.reduce(m.ones((2, 3)), dtype="f4"),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros(3)),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros(3, "f4")),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros(3, "i4")),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros(2)),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros((1, 3))),
    lambda m: m.add.reduce(m.ones((2, 3)), out=m.zeros((1, 3)), keepdims=True),
    lambda m: m.add.reduce(m.ones((2, 3)), initial=10),
    lambda m: m.add.reduce(m.ones((2, 3)), where=m.array([True, False, True])),
    lambda m: m.add.reduce(m.ones((2, 3)), where=False),
    lambda m: m.add.reduce(m.array(5.0)),
    lambda m: m.add.reduce(m.array(5.0), axis=1),
    lambda m: m.add.reduce(5),
    lambda m: m.add.reduce(m.ones((0, 3))),
    lambda m: m.maximum.reduce(m.ones((0, 3))),
    lambda m: m.maximum.reduce(m.ones((0, 3)), axis=1),
    lambda m: m.maximum.reduce(m.ones((0, 3)), initial=2.0),
    lambda m: m.maximum.reduce(m.ones(3), where=m.array([True, False, True])),
    lambda m: m.maximum.reduce(m.arange(3.0), where=m.array([True, True, False]), initial=-1),
    lambda m: m.maximum.reduce(m.arange(6).reshape(2, 3)),
    lambda m: m.subtract.reduce(m.arange(6.0)),
    lambda m: m.subtract.reduce(m.ones((2, 3)), axis=None),
    lambda m: m.subtract.reduce(m.arange(6.0), initial=100),
    lambda m: m.divide.reduce(m.arange(1, 6)),
    lambda m: m.logical_and.reduce(m.arange(3.0)),
    lambda m: m.logical_or.reduce(m.arange(6.0).reshape(2, 3), axis=1),
    lambda m: m.bitwise_and.reduce(m.arange(6)),
    lambda m: m.bitwise_and.reduce(m.ones(3)),
    lambda m: m.equal.reduce(m.ones(3, bool)),
    lambda m: m.equal.reduce(m.ones(3)),
    lambda m: m.sqrt.reduce(m.ones(3)),
    lambda m: m.divmod.reduce(m.ones(3)),
    lambda m: m.add.accumulate(m.arange(6.0).reshape(2, 3)),
    lambda m: m.add.accumulate(m.arange(6).reshape(2, 3), axis=1),
    lambda m: m.add.accumulate(m.ones(3, "i1")),
    lambda m: m.add.accumulate(m.ones(3), dtype="f4"),
    lambda m: m.add.accumulate(m.ones(3), out=m.zeros(3)),
    lambda m: m.add.accumulate(m.ones(3), 1),
    lambda m: m.add.accumulate(m.array(1.0)),
    lambda m: m.maximum.accumulate(m.array([1.0, 3.0, 2.0])),
    lambda m: m.sqrt.accumulate(m.ones(3)),
    lambda m: m.add.outer(m.arange(3), m.arange(4.0)),
    lambda m: m.multiply.outer(m.ones((2, 2)), m.arange(3)),
    lambda m: m.subtract.outer(m.arange(3), 1),
    lambda m: m.add.outer([1, 2], [3, 4]),
    lambda m: m.sqrt.outer(m.ones(3), m.ones(3)),
    lambda m: m.add.reduceat(m.arange(8.0), [0, 4, 1, 5]),
]


@pytest.mark.parametrize("call", REDUCTIONS)
def test_methods(call: Callable[[Any], Any]) -> None:
    both(call)


def test_at() -> None:
    a = hs.zeros(4)
    assert hs.add.at(a, [0, 0, 2], 1) is None
    assert a.tolist() == [2.0, 0.0, 1.0, 0.0]


def test_outputs_are_returned() -> None:
    out, foreign = hs.zeros(3), np.zeros(3)
    assert hs.add(hs.ones(3), 1, out=out) is out
    assert hs.add(hs.ones(3), 1, out=foreign) is foreign
    assert foreign.tolist() == [2, 2, 2]
    assert hs.add.reduce(hs.ones((2, 3)), out=out) is out
    a = b = hs.ones(3)
    a += 1
    assert a is b


@pytest.mark.parametrize("order", "CFAK")
def test_layout_of_results(order: str) -> None:
    base = np.arange(24.0).reshape(2, 3, 4)
    for axes in itertools.permutations(range(3)):
        theirs = np.add(base.transpose(axes), 1, order=order)
        ours = hs.add(hs.array(base).transpose(axes), 1, order=order)
        assert np.asarray(ours).strides == theirs.strides, axes


class Foreign:
    """Answers ufuncs itself."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ("foreign", ufunc, method, len(inputs))


class Silent:
    __array_ufunc__ = None


def test_foreign_operands() -> None:
    a = hs.ones(3)
    assert hs.add(a, Foreign()) == ("foreign", np.add, "__call__", 2)
    assert hs.add(Foreign(), a) == ("foreign", np.add, "__call__", 2)
    assert np.add(a, Foreign()) == ("foreign", np.add, "__call__", 2)
    assert hs.add.reduce(Foreign()) == ("foreign", np.add, "reduce", 1)
    with pytest.raises(TypeError):
        hs.add(a, Silent())


def test_numpy_functions_on_arrays() -> None:
    a = hs.arange(6.0).reshape(2, 3)
    result = np.add(a, 1)
    assert isinstance(result, type(a))
    same(result, np.arange(6.0).reshape(2, 3) + 1)
    same(np.add.reduce(a, axis=1), np.add.reduce(np.arange(6.0).reshape(2, 3), axis=1))
    same(np.multiply.outer(a, a), np.multiply.outer(*[np.arange(6.0).reshape(2, 3)] * 2))
    twice = np.frompyfunc(lambda x: 2 * x, 1, 1)
    assert twice(a).tolist() == (np.arange(6.0).reshape(2, 3) * 2).tolist()


@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if "number_test" in row["flags"]])
@pytest.mark.parametrize("dtype", "?bBhHiIlLqQ")
def test_integers_are_not_looked_at(name: str, dtype: str) -> None:
    a = np.arange(12).reshape(3, 4).astype(dtype)
    h = hs.array(a)
    ours, theirs = getattr(hs, name), getattr(np, name)
    same(ours(h), theirs(a))
    same(ours(h[:, ::2]), theirs(a[:, ::2]))
    same(ours(h[0, 0]), theirs(a[0, 0]))
    where = a > 3
    out = np.zeros(a.shape, dtype=bool)
    same(ours(h, out=hs.array(out), where=where), theirs(a, out=out, where=where))
    with debug.capture() as flushes:
        ours(h)
        hs.flush()
    assert all(name not in flush.program for flush in flushes)
