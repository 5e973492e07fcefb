"""Rows taken and put by an index: widths, layouts and indices that take different ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import plain

pytestmark = pytest.mark.usefixtures("simd_level")

ROWS = 700
DTYPES = ["?", "u1", "f2", "f4", "f8", "c16"]


@pytest.fixture(autouse=True, params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    with hassium.config(threads=request.param, parallelize="on"):
        yield


def numbers(dtype: str, *shape: int) -> Any:
    whole = numpy.random.default_rng(len(shape)).integers(0, 100, shape)
    return (whole % 2 == 1) if dtype == "?" else whole.astype(dtype)


# By name: memory of ROWS rows of `width` elements, and the view that shows them so.
LAYOUTS: dict[str, tuple[Callable[[int], tuple[int, ...]], Callable[[Any], Any]]] = {
    "contiguous": (lambda w: (ROWS, w), lambda a: a),
    "columns": (lambda w: (w, ROWS), lambda a: a.T),
    "every second": (lambda w: (ROWS, 2 * w), lambda a: a[:, ::2]),
    "within": (lambda w: (2 * ROWS, w + 3), lambda a: a[::-2, 2:-1]),
    "backwards": (lambda w: (ROWS, w), lambda a: a[:, ::-1]),
}

INDICES: dict[str, Callable[[Any], Any]] = {
    "many": lambda i: i,
    "few": lambda i: i[:40],
    "every third": lambda i: i[::3],
    "two axes": lambda i: i[:60].reshape(12, 5),
    "apart": lambda i: i[:60].reshape(12, 5)[:, ::2],
    "column": lambda i: i[:60, None],
}


def check(program: Callable[[Any, Any, Any], Any], dtype: str, width: int, layout: str) -> None:
    shape, view = LAYOUTS[layout]
    memory = numbers(dtype, *shape(width))
    given = numpy.random.default_rng(5).integers(-ROWS, ROWS, 2 * ROWS)
    for name, index in INDICES.items():
        ours, theirs = hassium.array(memory), memory.copy()
        expected = program(numpy, view(theirs), index(given))
        got = plain(program(hassium, view(ours), index(hassium.array(given))))
        numpy.testing.assert_array_equal(got, expected, err_msg=name)
        assert got.dtype == expected.dtype
        numpy.testing.assert_array_equal(plain(ours), theirs, err_msg=name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 9, 33, 70])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_taken(dtype: str, width: int, layout: str) -> None:
    check(lambda np, a, i: a[i], dtype, width, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [1, 3, 8, 70])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_last_row_put_counts(dtype: str, width: int, layout: str) -> None:
    def program(np: Any, a: Any, i: Any) -> Any:
        a[i] = np.asarray(numbers(dtype, *i.shape, width))
        return a

    check(program, dtype, width, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [1, 4, 5, 70])
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_value_fills_the_rows(dtype: str, width: int, layout: str) -> None:
    def program(np: Any, a: Any, i: Any) -> Any:
        a[i[1:]] = numbers(dtype, 1)[0]
        a[i[:1]] = np.asarray(numbers(dtype, 1))
        return a

    check(program, dtype, width, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_are_cast_and_spread(layout: str) -> None:
    def program(np: Any, a: Any, i: Any) -> Any:
        first, second = i[:3], i[-3:]
        a[first] = np.asarray(numbers("i8", 5))
        a[second] += a[first] * 2
        a[i[3:7]] = 3
        a[i[7:9]] = np.asarray(numbers("f4", 5))
        return np.take(a, i, axis=0, mode="wrap")

    check(program, "f4", 5, layout)


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
@pytest.mark.parametrize("order", ["CCCC", "FFFF", "swapped", "inner"])
def test_an_axis_among_others(axis: int, order: str) -> None:
    memory = numbers("i4", 6, 7, 8, 5)
    views: dict[str, Callable[[Any], Any]] = {
        "CCCC": lambda a: a,
        "FFFF": lambda a: a.T,
        "swapped": lambda a: a.swapaxes(0, 2)[:, ::-1],
        "inner": lambda a: a[:, 1:-1, :, 1:4],
    }
    view = views[order]
    index = numpy.random.default_rng(1).integers(0, 3, (4, 5))
    ours, theirs = view(hassium.array(memory)), view(memory)
    key = (slice(None),) * axis
    got = plain(ours[(*key, hassium.array(index))])
    numpy.testing.assert_array_equal(got, theirs[(*key, index)])
    numpy.testing.assert_array_equal(
        plain(hassium.take(ours, index, axis=axis)), numpy.take(theirs, index, axis=axis)
    )
    values = numbers("i4", *theirs[(*key, index)].shape)
    again, expected = view(hassium.array(memory)), view(memory.copy())
    again[(*key, hassium.array(index))] = values
    expected[(*key, index)] = values
    numpy.testing.assert_array_equal(plain(again), expected)


def put_last(np: Any, x: Any, index: Any) -> Any:
    x[..., index] = (np.arange(index.size * len(x)) % 50).reshape(len(x), 1, index.size)
    return x


def put_cast(np: Any, x: Any, index: Any) -> Any:
    x[..., index] = np.arange(float(index.size)) + 0.5
    return x


def add_last(np: Any, x: Any, index: Any) -> Any:
    x[..., index] += x[..., index[::-1]]
    return x


# Few positions in many rows; entries are repeated, so that the last value counts.
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "program",
    [
        lambda np, x, i: np.take(x, i, axis=-1),
        lambda np, x, i: np.take(x, i, axis=1),
        lambda np, x, i: x[:, i, :],
        lambda np, x, i: x[:, ::-1, i] + x[:, :, i],
        lambda np, x, i: np.take(x, i[:2, None], axis=-1).astype("c16"),
        put_last,
        put_cast,
        add_last,
    ],
)
def test_few_positions_in_many_rows(program: Callable[[Any, Any, Any], Any], dtype: str) -> None:
    views = [
        lambda a: a,
        lambda a: a[:, ::-1, ::-1],
        lambda a: a[::2, 1:, :],
        lambda a: a.transpose(1, 0, 2),
        lambda a: a.transpose(1, 2, 0)[:, :, :5],
        lambda a: a[:, :5, :].transpose(2, 0, 1),
        lambda a: a[:0],
    ]
    memory = numbers(dtype, 90, 70, 5)
    for number, view in enumerate(views):
        for given in ([0], [2, 0], [-1, 1, 1, 0], [4, 0, -5, 2, 2, 3, 1]):
            index = numpy.array(given)
            ours, theirs = hassium.array(memory), memory.copy()
            expected = program(numpy, view(theirs), index)
            got = plain(program(hassium, view(ours), hassium.array(index)))
            numpy.testing.assert_array_equal(got, expected, err_msg=f"{number} {given}")
            assert got.dtype == expected.dtype
            numpy.testing.assert_array_equal(plain(ours), theirs, err_msg=f"{number} {given}")
