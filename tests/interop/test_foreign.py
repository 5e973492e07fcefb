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
from foreign_calls import CALLS, METHOD_CALLS, OPERATIONS, UFUNC_CALLS
from foreign_kinds import DATA, KINDS, described
from hassium import _core
from hassium.functions import linear_algebra


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
