"""Subclasses of arrays and foreign objects mean to every public function what they mean to NumPy's.

A table of calls over the whole namespace, made with NumPy and hassium, for each kind of object.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy
import pytest

import hassium as np
from foreign_kinds import DATA, KINDS, described
from hassium import _core
from hassium.functions import linear_algebra

# `m` is foreign, of doubles, `i` indices, `b` bools, `v` a row; `a` to `e` are such plain arrays.
CALLS: dict[str, str] = {
    "all": "(m) (b, axis=0) (b, out=out(3), axis=0) (a, where=b)",
    "allclose": "(m, m) (a, m) (m, a)",
    "amax": "(m) (m, 0)",
    "amin": "(m) (m, axis=1)",
    "angle": "(m) (m, True)",
    "any": "(m) (b, axis=0, keepdims=True) (a, where=b)",
    "append": "(m, m, 0) (a, m) (m, a)",
    "arange": "(3, like=m)",
    "argmax": "(m) (m, 1)",
    "argmin": "(m) (m, axis=0)",
    "argsort": "(m) (m, 0) (a, axis=1)",
    "argwhere": "(m) (b)",
    "around": "(m, 1) (a, 1, m)",
    "array": "(m) (m, subok=True) (m, copy=False, subok=True) (a, like=m) ([m, m])",
    "array_equal": "(m, m) (a, m) (m, a)",
    "array_equiv": "(m, m) (a, m)",
    "array_split": "(m, 2) (m, [1], axis=1) (a, i[0, :2])",
    "asanyarray": "(m) (m, 'f4') (m, order='F') (a, like=m)",
    "asarray": "(m) (m, 'f4') (a, like=m)",
    "ascontiguousarray": "(m) (a, like=m)",
    "asfortranarray": "(m) (a, like=m)",
    "astype": "(m, 'f4')",
    "atleast_1d": "(m) (a, m)",
    "atleast_2d": "(m) (m, a)",
    "atleast_3d": "(m) (m, a)",
    "average": "(m) (m, 0) (a, weights=m) (m, 0, returned=True)",
    "bincount": "(i[0]) (abs(i).ravel(), m.ravel()[: i.size])",
    "broadcast_arrays": "(m, a) (a, m) (m, m, subok=True)",
    "broadcast_to": "(m, (2, 3, 3)) (m, (2, 3, 3), subok=True)",
    "can_cast": "(m, 'f4')",
    "clip": "(m, 2, 5) (a, m, 5) (a, 2, m) (m, min=2, max=5)",
    "column_stack": "((m, a)) ([a, m])",
    "compress": "([True, False, True], m, 0) (b[0], a, 0)",
    "concat": "((m, m)) ([a, m], axis=1)",
    "concatenate": "((m, m)) ((a, m)) ((m, a), axis=None) (m)",
    "convolve": "(v, c) (c, v)",
    "copy": "(m) (m, subok=True)",
    "copyto": "(w, m) (w, a, where=b)",
    "corrcoef": "(m) (a, m)",
    "correlate": "(v, c) (c, v, 'full')",
    "count_nonzero": "(m) (m, 0) (b)",
    "cov": "(m) (a, m) (m, rowvar=False)",
    "cross": "(m, m) (a, m)",
    "cumprod": "(m) (m, 0)",
    "cumsum": "(m) (m, axis=1) (a=m)",
    "cumulative_prod": "(m, axis=0)",
    "cumulative_sum": "(m, axis=1) (m, axis=0, include_initial=True)",
    "delete": "(m, 1) (m, slice(0, 2), 0) (a, abs(i[0, :2]), 1) (a, b[0], 1)",
    "diag": "(m) (v) (m, 1)",
    "diagflat": "(m) (v)",
    "diagonal": "(m) (m, 1)",
    "diff": "(m) (m, 1, 0) (a, prepend=m)",
    "digitize": "(m, [0.0, 3.0]) (a, v) (v, c)",
    "dot": "(m, m) (a, m) (m, a) (m, 2.0)",
    "dsplit": "(m, 2)",
    "dstack": "((m, m)) ((a, m))",
    "ediff1d": "(m) (a, m) (m, 1.0, 2.0)",
    "einsum": "('ij,ij->i', m, a) ('ij->j', m)",
    "empty": "(0, like=m)",
    "empty_like": "(m[:0]) (m[:0], subok=False)",
    "expand_dims": "(m, 0) (m, (0, 2))",
    "extract": "(b, m) (b, a)",
    "eye": "(3, like=m) (3, like=a)",
    "fill_diagonal": "(w, v[0]) (m, 0.0)",
    "fix": "(m)",
    "flatnonzero": "(m) (b)",
    "flip": "(m) (m, 0)",
    "fliplr": "(m)",
    "flipud": "(m)",
    "fromfunction": "(first, (2, 2), like=m) (first, (2, 2), like=a)",
    "full": "((3, 3), m) ((3, 3), 1.0, like=m)",
    "full_like": "(m, 2.0) (m, a) (a, m) (m, 1.0, subok=False)",
    "geomspace": "(m, 20.0, 3) (1.0, m, 3)",
    "gradient": "(m) (m, axis=0)",
    "histogram": "(m) (m, 3, (0, 5)) (a, m.ravel()) (a, weights=m)",
    "histogram2d": "(m.ravel(), a.ravel(), 2) (a.ravel(), a.ravel(), 2, weights=m.ravel())",
    "histogramdd": "(m, 2) (a, 2, weights=m[0])",
    "hsplit": "(m, 3)",
    "hstack": "((m, m)) ((a, m)) ([m, a])",
    "identity": "(2, like=m)",
    "imag": "(m)",
    "indices": "((2, 2))",
    "inner": "(m, m) (a, m) (m, a)",
    "insert": "(m, 1, 9.0) (a, 1, v, 0) (m, [0, 2], a[0, 0], 1) (a, abs(i[0, :2]), 5.0, 0)",
    "interp": "(2.5, v, c) (v, c, c)",
    "isclose": "(m, m) (a, m) (m, 4.0)",
    "iscomplex": "(m)",
    "iscomplexobj": "(m)",
    "isneginf": "(m)",
    "isposinf": "(m)",
    "isreal": "(m)",
    "isrealobj": "(m)",
    "kron": "(m, a) (a, m)",
    "linspace": "(m, 9.0, 3) (a, m, 3) (0.0, m, 3, axis=1)",
    "logspace": "(m, 2.0, 3) (0.0, m, 3)",
    "matrix_transpose": "(m)",
    "max": "(m) (m, 0) (a, where=b, initial=0.0) (a, 0, out=out(3))",
    "mean": "(m) (m, 0) (a=m) (a, where=b) (a, 0, out=out(3)) (m, keepdims=True)",
    "median": "(m) (m, 0) (a, 0, out=out(3))",
    "meshgrid": "(v, c) (c, v)",
    "min": "(m) (m, 0) (m, keepdims=True)",
    "moveaxis": "(m, 0, 1)",
    "nan_to_num": "(m) (m, nan=1.0)",
    "nanargmax": "(m)",
    "nanargmin": "(m, 0)",
    "nancumprod": "(m)",
    "nancumsum": "(m, 0)",
    "nanmax": "(m) (m, 0)",
    "nanmean": "(m) (m, 0)",
    "nanmedian": "(m) (m, 0)",
    "nanmin": "(m)",
    "nanprod": "(m, 0)",
    "nanstd": "(m)",
    "nansum": "(m) (m, 0)",
    "nanvar": "(m, 0)",
    "ndim": "(m)",
    "nonzero": "(m) (b)",
    "ones": "(2, like=m)",
    "ones_like": "(m) (m, subok=False)",
    "outer": "(m, m) (a, m) (m, a)",
    "pad": "(m, 1) (m, 1, 'edge') (a, 1, constant_values=v[0, :2])",
    "percentile": "(m, 50) (a, [25, 75], 0)",
    "permute_dims": "(m) (m, (1, 0))",
    "polyval": "(c, m) (v, a)",
    "prod": "(m) (m, 0)",
    "ptp": "(m) (m, 0)",
    "put": "(w, [0, 1], m) (w, i, 1.0) (m, [0], [5.0])",
    "put_along_axis": "(w, i, 1.0, 1) (w, e, m, 1) (m, e, 1.0, 0)",
    "putmask": "(w, b, 1.0) (w, d, m) (m, d, 1.0)",
    "quantile": "(m, 0.5) (a, [0.25, 0.75], 0)",
    "ravel": "(m) (m, 'F')",
    "real": "(m)",
    "repeat": "(m, 2) (m, 2, 0) (a, v[0].astype(int), 0)",
    "require": "(m) (m, None, 'W') (a, 'f4', ['F', 'O']) (a, like=m)",
    "reshape": "(m, 9) (m, (1, 9)) (m, -1, order='F') (m, (9, 1), copy=True)",
    "result_type": "(m, 'f4') ('i4', m)",
    "roll": "(m, 1) (m, 1, 0)",
    "rollaxis": "(m, 1)",
    "rot90": "(m) (m, 2)",
    "round": "(m) (m, 1)",
    "searchsorted": "(a[0] * 0.0, m) (m.ravel() * 0.0, a)",
    "select": "([b, d], [a, m], 0.0) ([d], [m]) ([d], [a], m)",
    "shape": "(m)",
    "sinc": "(m)",
    "size": "(m) (m, 0)",
    "sort": "(m) (m, 0)",
    "lexsort": "((v, v)) (m)",
    "bartlett": "(v[2])",
    "blackman": "(v[2])",
    "hamming": "(v[2])",
    "hanning": "(v[2])",
    "kaiser": "(v[2], 3.0)",
    "split": "(m, 3) (m, [1], 1)",
    "squeeze": "(m) (m[:1]) (m[:1], 0)",
    "stack": "((m, m)) ((a, m), axis=1) ((m, a), out=out(2, 3, 3))",
    "std": "(m) (m, 0) (a, where=b) (m, ddof=1)",
    "sum": "(m) (m, 0) (a, where=b) (m, keepdims=True) (a, 0, out=out(3)) ([m, m])",
    "swapaxes": "(m, 0, 1)",
    "take": "(m, [0, 1]) (m, [0, 1], 0) (a, i) (a, i, 1)",
    "take_along_axis": "(m, e, 0) (a, i, 1)",
    "tensordot": "(m, m, 1) (a, m, 1) (m, a)",
    "tile": "(m, 2) (m, (2, 1)) (a, v[0, :2].astype(int))",
    "trace": "(m) (m, 1)",
    "transpose": "(m) (m, (1, 0)) (a=m)",
    "trapezoid": "(m) (a, m) (m, axis=0)",
    "tri": "(3, like=m) (3, like=a)",
    "tril": "(m) (m, 1)",
    "triu": "(m) (m, -1)",
    "unique": "(m) (i, False, True) (i, return_counts=True) (m, axis=0)",
    "unstack": "(m) (m, axis=1)",
    "unwrap": "(m) (m, axis=0)",
    "vander": "(v) (c, 3)",
    "var": "(m) (m, 0) (a, where=b) (a, mean=m, axis=0)",
    "vdot": "(m, m) (a, m) (m, a)",
    "vsplit": "(m, 3)",
    "vstack": "((m, m)) ((a, m)) (tup=[m, a])",
    "where": "(b) (b, a, 0.0) (d, m, a) (d, 1.0, m) (m > 3, m, 0.0)",
    "zeros": "(2, like=m)",
    "zeros_like": "(m) (m, subok=False)",
    "linalg.cross": "(m, m) (a, m)",
    "linalg.diagonal": "(m)",
    "linalg.matmul": "(m, m) (a, m)",
    "linalg.matrix_norm": "(m) (m, ord=1)",
    "linalg.norm": "(m) (m, 1) (m, axis=0) (v[0]) (m, ord=numpy.inf)",
    "linalg.outer": "(v[0], c) (c, v[0])",
    "linalg.tensordot": "(m, m, axes=1) (a, m)",
    "linalg.trace": "(m)",
}

# Of arrays: `a` is ours, the argument foreign.
METHOD_CALLS: dict[str, str] = {
    "all": "(where=b)",
    "choose": "([m, 1.0, 2.0])",
    "clip": "(m, 5.0) (2.0, m)",
    "compress": "(b[0], 0)",
    "dot": "(m) (m, a)",
    "max": "(where=b, initial=0.0) (0, out(3))",
    "mean": "(where=b) (0, None, out(3))",
    "put": "(i, 1.0) ([0, 1, 2], v)",
    "repeat": "(v[0].astype(int), 0)",
    "round": "(1, m)",
    "searchsorted": "(m)",
    "std": "(where=b)",
    "sum": "(where=b) (0, None, out(3))",
    "take": "(i) (i, 0)",
}

OPERATIONS = [
    "a + m", "m + a", "a == m", "m == a", "a < m", "a @ m", "m @ a", "a ** m", "a[i]", "a[b]", "-m",
    "divmod(a, m)", "numbers & i", "w.__iadd__(m)", "w.__setitem__(..., m)",
    "w.__setitem__(i, m)", "w.__setitem__(b, 1.0)", "w.__setitem__(0, v[0])", "m in a",
]  # fmt: skip

# Ufuncs and their methods.
UFUNC_CALLS: dict[str, str] = {
    "add": "(a, m) (m, a) (a, a, out=m) (a, a, w, where=b) (a, a, out(3, 3))",
    "sqrt": "(m) (a, m) (a, out=(m,))",
    "maximum": "(a, m) ([m, m], a)",
    "matmul": "(a, m) (m, a)",
    "add.reduce": "(m) (m, axis=None) (a, where=b) (a, out=out(3))",
    "add.accumulate": "(m) (m, 1)",
    "add.outer": "(v, c) (c, v)",
    "add.at": "(w, [0, 1], m[:2]) (m, [0, 1], 1.0)",
    "add.reduceat": "(m, [0, 1])",
    "divmod": "(a, m)",
    "isnan": "(m)",
    "logical_or.reduce": "(b)",
    "maximum.reduce": "(m, axis=1)",
}


def added(x: Any, y: Any) -> Any:
    return x + y


def names(own: Any, kind: str) -> dict[str, Any]:
    """What a call may name, made anew: some calls write."""
    foreign = KINDS[kind]
    index = numpy.array([[0, 1, 2], [2, 0, 1], [1, 1, 0]])
    bools = numpy.array([[True, False, True], [False, True, True], [True, True, False]])
    return {
        "m": foreign(DATA.copy()),
        "i": foreign(index),
        "b": foreign(bools),
        "v": foreign(DATA[:1].copy()),
        "a": own.array(DATA * 0.5 + 1),
        "w": own.array(DATA + 0.5),
        "c": own.array(DATA[0]),
        "d": own.array(bools),
        "e": own.array(index),
        "numbers": own.array(index + 1),
        "out": lambda *shape: foreign(numpy.zeros(shape)),
        "first": added,
        "numpy": numpy,
    }


def outcome(functions: Any, own: Any, kind: str, expression: str) -> Any:
    """What an expression gives, what it does to its names, or what it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = names(own, kind)
        known["np"] = functions
        try:
            found = described(eval(expression, known))
        except Exception as error:
            return "raises", {kind for kind in type(error).__mro__ if kind.__module__ == "builtins"}
        return found, described(known["w"]), described(known["m"])


def arguments(line: str) -> list[str]:
    """The argument lists of a line of a table."""
    found, depth, start = [], 0, 0
    for k, letter in enumerate(line):
        if letter == "(":
            start = k if depth == 0 else start
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                found.append(line[start : k + 1])
    return found


def different(kind: str, expressions: list[str]) -> list[tuple[str, Any, Any]]:
    """Where hassium, or NumPy's functions on hassium's arrays, disagree with NumPy."""
    found = []
    for expression in expressions:
        expected = outcome(numpy, numpy, kind, expression)
        for functions in (np, numpy):
            got = outcome(functions, np, kind, expression)
            if expected != got:
                found.append((expression, expected, got))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str, kind: str) -> None:
    if not hasattr(numpy, name.partition(".")[0]):
        pytest.skip("not in this NumPy")
    assert different(kind, [f"np.{name}{given}" for given in arguments(CALLS[name])]) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHOD_CALLS)
def test_methods(name: str, kind: str) -> None:
    assert different(kind, [f"a.{name}{given}" for given in arguments(METHOD_CALLS[name])]) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", UFUNC_CALLS)
def test_ufuncs(name: str, kind: str) -> None:
    assert different(kind, [f"np.{name}{given}" for given in arguments(UFUNC_CALLS[name])]) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(operation: str, kind: str) -> None:
    assert different(kind, [operation]) == []


def test_the_table_is_whole() -> None:
    known = {
        name
        for path, module in list(sys.modules.items())
        if path.startswith("hassium.functions.")
        for name in getattr(module, "__all__", ())
        if type(getattr(np, name)) is _core.dispatcher
    }
    known |= {f"linalg.{name}" for name in linear_algebra.NATIVE}
    assert known <= CALLS.keys()


def test_calls_left_to_numpy_are_counted() -> None:
    np.reset_stats()
    masked = KINDS["masked"](DATA)
    assert np.mean(masked) == numpy.mean(masked)
    assert np.linalg.norm(masked) == numpy.linalg.norm(masked)
    np.array(DATA).dot(masked)
    counts = {name: row["count"] for name, row in np.stats()["fallbacks"].items()}
    assert counts == {"mean": 1, "linalg.norm": 1, "ndarray.dot": 1}


@pytest.mark.parametrize(
    "plain",
    [
        1, 2.5, True, 1j, numpy.float32(3), [1, 2.5], (1, 2), [[1, 2], [3, 4]], range(5),
        numpy.arange(3), numpy.array(2.0), [numpy.arange(3.0), numpy.ones(3)],
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_are_native(plain: Any) -> None:
    np.reset_stats()
    names = ("sum", "mean", "cumsum", "ravel", "isclose", "stack")
    for name in names:
        given = {"isclose": (plain, 1), "stack": ([plain, plain],)}.get(name, (plain,))
        function, numpys = getattr(np, name), getattr(numpy, name)
        assert described(function(*given)) == described(numpys(*given)), name
    assert not np.stats()["fallbacks"].keys() & set(names)


@pytest.mark.parametrize("dtype", ["i8", "u1", "f8", "f4", "c16", "?"])
@pytest.mark.parametrize("value", ["masked", "hidden", "shown", "listed"])
@pytest.mark.parametrize("how", ["element", "no axes", "fill", "row", "slice"])
def test_masked_values_assigned(dtype: str, value: str, how: str) -> None:
    if (value, how) == ("listed", "fill"):
        pytest.skip("several values are refused, masked or not")

    def run(m: Any) -> Any:
        array = m.zeros(() if how == "no axes" else (2, 3), dtype)
        given: Any = {
            "masked": numpy.ma.masked,
            "hidden": numpy.ma.array(5.0, mask=True),
            "shown": numpy.ma.array(5.0),
            "listed": numpy.ma.array([1.0, 2, 3], mask=[0, 1, 0]),
        }[value]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if how == "fill":
                    array.fill(given)
                else:
                    key: Any = {"element": (0, 1), "no axes": (), "row": 0, "slice": slice(1)}[how]
                    array[key] = given
                found: Any = repr(array.tolist())
            except Exception as error:
                found = type(error)
        return found, {warning.category for warning in caught}

    assert run(np) == run(numpy)


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray"])
def test_object_arrays_hold_our_arrays_themselves(name: str) -> None:
    ours = np.arange(3.0)
    make = getattr(np, name)
    for sequence in ([0, ours], (ours, np.ones(2)), [[ours, 1], [2, ours]]):
        found = make(sequence, dtype=object)
        expected = getattr(numpy, name)(sequence, dtype=object)
        assert found.shape == expected.shape
        assert all(a is b for a, b in zip(found.flat, expected.flat, strict=True))
    assert make([ours, ours], dtype=object).tolist() == [[0.0, 1.0, 2.0]] * 2
