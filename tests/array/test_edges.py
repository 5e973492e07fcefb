"""Calls at the edge of what NumPy takes: nothing to reduce, numbers out of range, no axes."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import agree, outcome

REDUCTIONS = [
    "max", "min", "sum", "prod", "any", "argmax", "argmin", "ptp", "nanmax", "count_nonzero",
]  # fmt: skip


def on_both(call: Callable[[Any], Any]) -> None:
    """Equal results, or errors of one kind."""
    agree(lambda: call(numpy), lambda: call(hassium))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 3, 0)])
def test_nothing_to_reduce(name: str, shape: tuple[int, ...]) -> None:
    axes: list[Any] = [None, *range(-1, len(shape))]
    if not name.startswith("arg"):
        axes += [(), *combinations(range(len(shape)), 2)]
    for axis in axes:
        on_both(lambda m, axis=axis: getattr(m, name)(m.zeros(shape), axis=axis))
        on_both(lambda m, axis=axis: getattr(m, name)(m.zeros(shape).T, axis=axis, keepdims=True))


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3)])
@pytest.mark.parametrize("initial", [None, 2.0])
def test_nothing_to_reduce_with_a_start(shape: tuple[int, ...], initial: float | None) -> None:
    for name in ("add", "maximum", "subtract"):
        on_both(
            lambda m, name=name: getattr(m, name).reduce(m.zeros(shape), axis=0, initial=initial)
        )


BOUNDS = [None, -1000, -1, 0, 5, 127, 255, 300, 2.5]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "f8", "?"])
@pytest.mark.parametrize("low", BOUNDS)
def test_bounds_beyond_the_dtype(dtype: str, low: float | None) -> None:
    for high in BOUNDS:
        on_both(lambda m, high=high: m.clip(m.array([0, 1, 100]).astype(dtype), low, high))
        on_both(lambda m, high=high: m.array([0, 1, 100]).astype(dtype).clip(low, high))


SOME = [float("nan"), float("inf"), -float("inf")]

CALLS: list[Callable[[Any], Any]] = [
    lambda m: m.clip([1, 5], -(10**30), 3),
    lambda m: m.clip(numpy.ma.array([1, 5, 7], mask=[0, 1, 0]), 2, 6).mask,
    lambda m: m.take(m.array(5), [0, 0], axis=0),
    lambda m: m.take(m.array(5), [[0, -1]], axis=-1, mode="wrap"),
    lambda m: m.take(m.array(5), 0),
    lambda m: m.take(m.array(5), [0], axis=1),
    lambda m: m.take(m.array(5), [1], axis=0),
    lambda m: m.repeat(m.array(3.0), 2, axis=0),
    lambda m: m.array(3.0).repeat(2, axis=-1),
    lambda m: m.array(3.0).repeat(2, axis=1),
    lambda m: m.array(3.0).repeat([2], axis=0),
    lambda m: m.repeat(3.0, 2, axis=0),
    lambda m: m.repeat(m.array([]), -1),
    lambda m: m.repeat(m.ones((0, 3)), -2, axis=0),
    lambda m: m.ones((0, 3)).repeat(-1),
    lambda m: m.ones((0, 3)).repeat(-1, axis=1),
    lambda m: m.ones((0, 3)).repeat([-1], axis=0),
    lambda m: m.ones(3).repeat(-1),
    lambda m: operator.imatmul(m.ones((2, 2)), m.array([[0.0, 1], [2, 3]])),
    lambda m: operator.imatmul(m.ones(2), m.array([[0.0, 1], [2, 3]])),
    lambda m: operator.imatmul(m.ones(2), [[0.0, 1], [2, 3]]),
    lambda m: operator.imatmul(m.ones(2), numpy.ones((1, 2, 2))),
    lambda m: operator.imatmul(m.ones((2, 2)), m.ones(2)),
    lambda m: operator.imatmul(m.ones((2, 2)), [1.0, 2.0]),
    lambda m: operator.imatmul(m.ones((2, 2)), numpy.ones(2)),
    lambda m: operator.imatmul(m.ones(2), m.ones(2)),
    lambda m: operator.imatmul(m.ones(2), 2),
    lambda m: operator.imatmul(m.array(2.0), m.ones((2, 2))),
    lambda m: operator.imatmul(m.ones((2, 2)), m.ones((2, 3))),
    lambda m: m.ones(2).__array_namespace__(api_version=2024),
    lambda m: m.take(m.ones((0, 3)), [5], axis=1),
    lambda m: m.ones((0, 3)).take(5, axis=1),
    lambda m: m.take(m.ones((0, 0)), [0], axis=0, mode="clip"),
    lambda m: m.take(m.ones((0, 0)), [0], axis=1, mode="wrap"),
    lambda m: m.take(m.ones((0, 0)), [0], axis=0),
    lambda m: m.take(m.ones((0, 3)), [0], axis=0, mode="clip"),
    lambda m: m.take(m.ones((3, 0)), [0], axis=1, mode="clip"),
    lambda m: m.take(m.ones((3, 0)), m.zeros((0, 2), int), axis=1),
    lambda m: m.take(m.ones((2, 0)), [5], axis=0),
    lambda m: m.take(m.ones((2, 0)), [5], axis=0, mode="clip"),
    lambda m: m.take_along_axis(m.array(1.0), m.array([0]), axis=0),
    lambda m: m.take_along_axis(m.array(1.0), m.array(0), axis=None),
    lambda m: m.take_along_axis(m.ones((2, 2)), m.array([3, 0]), axis=None),
    lambda m: m.take_along_axis(m.ones((2, 2)), m.array([0]), axis=5),
    lambda m: m.take_along_axis(m.ones((2, 2)), m.array([0]), axis=0),
    lambda m: m.take_along_axis(m.ones((2, 2)), m.array([[0.0]]), axis=0),
    lambda m: m.put_along_axis(m.array(1.0), m.array(0), 1, axis=0),
    lambda m: m.tile(m.ones(2), m.count_nonzero(m.ones(2))),
    lambda m: m.tile(m.ones(2), m.array(2)),
    lambda m: m.tile(m.ones(2), (2, m.count_nonzero(m.ones(2)))),
    lambda m: m.zeros_like(m.ones(3), shape=m.count_nonzero(m.ones(2))),
    lambda m: m.rot90(m.array(5)),
    lambda m: m.rot90(m.ones(3)),
    lambda m: m.rot90(m.ones((2, 3)), axes=(0, 2)),
    lambda m: m.rot90(m.ones((2, 3)), axes=(1, 3)),
    lambda m: m.rot90(m.ones((2, 3)), axes=(0,)),
    lambda m: m.rot90(m.arange(6).reshape(2, 3), axes=(-1, 0)),
    lambda m: m.nan_to_num(m.array([SOME[0], 1.0]), nan=m.array([2, 3])),
    lambda m: m.nan_to_num(m.array(SOME), nan=[1.0, 2, 3], posinf=m.arange(3), neginf=[7]),
    lambda m: m.nan_to_num(m.array(SOME) * (1 + 2j), nan=[1.0, 2, 3], posinf=m.arange(3)),
    lambda m: m.nan_to_num(m.array(SOME, "f4"), nan=numpy.array([1.5, 2, 3]), neginf=-1),
    lambda m: m.nan_to_num(m.array(SOME), nan=[1.0, 2]),
    lambda m: m.nan_to_num(m.array(SOME), nan=m.array([1j, 2, 3])),
    lambda m: m.nan_to_num(m.array(SOME), nan=m.ones((2, 3))),
    lambda m: int(m.array(2 + 0j)),
    lambda m: float(m.array(2 + 0j)),
    lambda m: float(m.array(2, "F")),
    lambda m: complex(m.array(2)),
    lambda m: int(m.array(2.5)),
    lambda m: int(m.array([1j])),
]


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: Callable[[Any], Any]) -> None:
    on_both(call)


# Right sides of assignments: each number of a list is converted by itself.
VALUES: list[Any] = [
    [1j, 2j], (1.5, 2), [numpy.nan, 1], [2**70, 1], [-1, 1], [300, 1], [None, 1], [True, False],
    ["1", "2"], ["1", "x"], [], [1], [[1, 2]], [[1], [2]], [1, [2, 3]], range(2), [range(2)], "12",
    {1, 2}, None, [numpy.float64(1.5), 2], [numpy.arange(2)],
]  # fmt: skip
KEYS: list[Any] = [0, slice(None), ..., [0, 1], numpy.array([True, True]), (None, slice(None))]


@pytest.mark.parametrize("dtype", ["u1", "i8", "f8", "?", "F"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_assigned_values(dtype: str, value: Any) -> None:
    def assigned(module: Any, key: Any) -> Any:
        array = module.zeros(2, dtype)
        array[key] = value
        return array

    for key in KEYS:
        on_both(lambda m, key=key: assigned(m, key))


def test_lists_of_arrays_are_assigned() -> None:
    array = hassium.zeros((2, 2))
    array[:] = [hassium.array([1, 2]), hassium.array([3, 4])]
    assert array.tolist() == [[1, 2], [3, 4]]
    array[0] = [hassium.arange(3).sum(), array[1, 1]]
    assert array.tolist() == [[3, 4], [3, 4]]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "D", "i4", "?"])
@pytest.mark.parametrize("copy", [True, False])
def test_numbers_for_what_is_none(dtype: str, copy: bool) -> None:
    values = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1.5, -0.0]).astype("D")
    # What has no number in an integer dtype becomes whatever NumPy's loop leaves there.
    if dtype == "i4":
        values = values[3:]

    def replaced(module: Any, **numbers: float) -> Any:
        with numpy.errstate(all="ignore"):
            array = module.array(values.real if dtype != "D" else values).astype(dtype)
        return module.nan_to_num(array, copy=copy, **numbers), array

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        on_both(replaced)
        on_both(lambda m: replaced(m, nan=2.0, posinf=3.0, neginf=-4.0))
    on_both(lambda m: m.nan_to_num(numpy.nan if dtype == "f8" else 3, copy=copy))


@pytest.mark.parametrize("module", [numpy, hassium])
@pytest.mark.parametrize("dtype", ["f4", "D", "i4", "?", "O"])
def test_numbers_in_place_of_what_is_none_return_the_array(module: Any, dtype: str) -> None:
    array = module.ones((2, 3), dtype)[:, ::-1]
    assert hassium.nan_to_num(array, copy=False) is array
    assert hassium.nan_to_num(array) is not array
    number = numpy.array(numpy.nan)
    assert hassium.nan_to_num(number, copy=False) == 0
    assert number == 0


def test_numbers_for_what_is_none_take_one_block() -> None:
    array = hassium.ones(5000)
    hassium.flush()
    hassium.reset_stats()
    replaced = hassium.nan_to_num(array)
    hassium.flush()
    assert hassium.stats()["blocks"] == 1
    assert replaced[0] == 1


NUMBERS: list[Any] = [
    -1, 70000, 2**40, 7, 1.5, 1e20, float("nan"), 1j, True, [-1], [1.5, -1], [],
    numpy.int64(-1), numpy.int64(2**40), numpy.float64(numpy.nan), numpy.array(-1),
    numpy.array([1, -1]), numpy.array([1.5, 2]), numpy.array([1, 2], "u1"),
]  # fmt: skip
MASK = numpy.array([True, False, True])
STORES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "copyto": lambda m, a, v: m.copyto(a, v),
    "copyto where": lambda m, a, v: m.copyto(a, v, where=m.array(MASK)),
    "copyto nowhere": lambda m, a, v: m.copyto(a, v, where=m.zeros(3, bool)),
    "copyto unsafe": lambda m, a, v: m.copyto(a, v, casting="unsafe"),
    "copyto no": lambda m, a, v: m.copyto(a, v, casting="no"),
    "putmask": lambda m, a, v: m.putmask(a, m.array(MASK), v),
    "putmask nowhere": lambda m, a, v: m.putmask(a, m.zeros(3, bool), v),
    "putmask reshaped": lambda m, a, v: m.putmask(a, m.array(MASK).reshape(1, 3), v),
    "putmask short": lambda m, a, v: m.putmask(a, m.array(MASK)[:2], v),
    "put": lambda m, a, v: m.put(a, [0, 2], v),
    "put nothing": lambda m, a, v: m.put(a, [], v),
    "put outside": lambda m, a, v: a.put([9], v),
    "put into nothing": lambda m, a, v: m.put(a[3:], [0], v),
}


@pytest.mark.parametrize("dtype", ["u2", "i4", "f4", "?"])
@pytest.mark.parametrize("value", NUMBERS, ids=repr)
@pytest.mark.parametrize("store", STORES)
def test_stored_numbers_are_in_bounds(store: str, value: Any, dtype: str) -> None:
    def stored(module: Any, value: Any) -> Any:
        array = module.array([1, 2, 3], dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind, error = outcome(lambda: STORES[store](module, array, value))
            return repr(numpy.asarray(array)), kind, error

    expected = stored(numpy, value)
    if isinstance(value, numpy.ndarray):
        assert stored(hassium, hassium.array(value)) == expected
    elif isinstance(value, numpy.generic):
        assert stored(hassium, hassium.array([value]).max()) == expected
    assert stored(hassium, value) == expected


CHOICES: list[tuple[Any, Any]] = [
    (numpy.arange(2, dtype="u4"), -1), (numpy.arange(2, dtype="i1"), 300),
    (300, numpy.arange(2, dtype="i1")), (numpy.arange(2, dtype="u8"), -1), (numpy.int8(3), 300),
    ([1, 2], 2**63), ([1, 2], 2**64), (2**63, -1), (2**70, 1), (1.5, 10**400), (True, 300),
    (numpy.ones(2, "f4"), 2**70), (numpy.ones(2, "f4"), 10**400), (numpy.ones(2, "i1"), 2**70),
]  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_numbers_beyond_the_dtype_are_chosen(choice: tuple[Any, Any]) -> None:
    """Where no array is made of them to be stored they wrap around."""
    on_both(lambda m: m.where(m.array([True, False]), *choice))


COUNTED: list[Callable[[Any], Any]] = [
    lambda m: m.count_nonzero(m.ones(3)),
    lambda m: m.count_nonzero(m.ones((3, 2)), axis=(0, 1)),
    lambda m: m.count_nonzero(m.ones(3), axis=0),
    lambda m: m.count_nonzero(3.0),
    lambda m: m.count_nonzero([1, 0]),
]


@pytest.mark.parametrize("call", COUNTED)
def test_counts_are_numpys_integers(call: Callable[[Any], Any]) -> None:
    on_both(call)
    assert isinstance(call(hassium), type(call(numpy)))


@pytest.mark.parametrize("mask", [True, numpy.True_, 1, numpy.array(True), [True], False], ids=repr)
@pytest.mark.parametrize("name", ["min", "max", "sum"])
@pytest.mark.parametrize("initial", [{}, {"initial": 5.0}])
def test_a_mask_asks_for_a_start(mask: Any, name: str, initial: dict[str, Any]) -> None:
    on_both(lambda m: getattr(m, name)(m.ones(3), where=mask, **initial))


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2"])
def test_positions_of_a_dtype_narrower_than_the_extent(mode: str, dtype: str) -> None:
    on_both(lambda m: m.take(m.arange(300.0), m.array([3, 1, 100], dtype), mode=mode))

    def put(m: Any) -> Any:
        array = m.zeros(40_000)
        m.put(array, m.array([3, 1, 100], dtype), [1.0, 2.0, 3.0], mode)
        return array

    on_both(put)


@pytest.mark.parametrize("shape", [(0,), (0, 0), (2, 0), (0, 1), (1, 1, 0), (3, 0, 1), (0, 2, 2)])
def test_nothing_with_more_axes_is_assigned(shape: tuple[int, ...]) -> None:
    def assigned(m: Any, extents: tuple[int, ...], key: Any) -> Any:
        array = m.ones(extents)
        array[key] = m.zeros(shape)
        return array

    for extents in ((3,), (3, 2)):
        for key in (numpy.zeros(0, int), numpy.zeros(3, bool), [0, 1]):
            on_both(lambda m, extents=extents, key=key: assigned(m, extents, key))
