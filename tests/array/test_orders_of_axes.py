"""The order in which results have their axes in memory, against NumPy."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

AXES = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"argmax along {axis}": lambda m, a, axis=axis: m.argmax(a, axis)  # type: ignore[misc]
        for axis in range(3)
    },
    "argmin": lambda m, a: a.argmin(1),
    "argmin that keeps axes": lambda m, a: a.argmin(1, keepdims=True),
    "sort": lambda m, a: m.sort(a, axis=1),
    "argsort": lambda m, a: m.argsort(a, axis=1),
    "partition": lambda m, a: m.partition(a, 1, axis=0),
    "partition of reversed": lambda m, a: m.partition(a[:, ::-1], 1, axis=0),
    "cumsum": lambda m, a: m.cumsum(a, axis=1),
    "concatenate": lambda m, a: m.concatenate([a, a[::-1]], axis=1),
    "stack": lambda m, a: m.stack([a, a], axis=1),
    "concatenate to what is repeated": lambda m, a: m.concatenate(
        [m.broadcast_to(a[:1], a.shape), a.copy()], axis=2
    ),
    "stack of what is repeated": lambda m, a: m.stack([m.broadcast_to(a[0], a.shape)] * 2),
    "one tile": lambda m, a: m.tile(a, (1, 1, 1, 1)),
    "cumulative_sum behind a zero": lambda m, a: m.cumulative_sum(a, axis=1, include_initial=True),
    **{
        f"reduceat along {axis}": lambda m, a, axis=axis: m.add.reduceat(a, [0, 2, 1], axis)  # type: ignore[misc]
        for axis in range(3)
    },
    "reduceat of narrow numbers": lambda m, a: m.add.reduceat(a.astype("f2"), [0, 2], 2),
    "matmul": lambda m, a: a[:, :, None] @ a[:, :, :, None],
    "vecdot": lambda m, a: m.vecdot(a, a),
    "vecmat": lambda m, a: m.vecmat(a, m.ones((a.shape[2], 2))),
    "imag of reals": lambda m, a: a.imag.copy("K"),
    "take": lambda m, a: m.take(a, [[1, 0], [2, 1]], axis=1),
    "take of one": lambda m, a: m.take(a, 1, axis=1),
    "compress": lambda m, a: m.compress([True, False, True], a, axis=2),
    "pickle": lambda m, a: pickle.loads(pickle.dumps(a, 4)),
    "pickle of reversed": lambda m, a: pickle.loads(pickle.dumps(a[::-1], 4)),
    "asarray": lambda m, a: m.asarray(numpy.asarray(a)),
    "array": lambda m, a: m.array(numpy.asarray(a)[:, ::-1]),
}


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_order_of_axes(function: Callable[[Any, Any], Any], axes: tuple[int, ...]) -> None:
    def found(m: Any) -> Any:
        a = m.array((numpy.arange(60.0) % 7).reshape(3, 4, 5)).transpose(axes)
        return laid_out(function(m, a))

    assert found(np) == found(numpy)


def laid_out(result: Any) -> Any:
    """The values, the steps along axes that have any, and whether a vector of it is a view."""
    moving = [k for k, extent in enumerate(result.shape) if extent > 1]
    vector = result.reshape(-1)
    vector[:1] = -1
    shared = [bool((a == -1).any()) for a in (result, result.T)]
    return result.tolist(), [result.strides[k] for k in moving], shared


POSITIONS = numpy.array([[1, 0, 2], [0, 1, 1]])
KEYS: dict[str, Any] = {
    "the first axis": [1, 0],
    "one behind another": (slice(None), [1, 0]),
    "the last": (..., [2, 1, 0, 0]),
    "two axes of positions": (slice(None), POSITIONS),
    "two transposed": (slice(None), POSITIONS.T),
    "each element": (POSITIONS, POSITIONS, POSITIONS),
    "each element, transposed": (POSITIONS.T, POSITIONS.T, [0, 1]),
    "each element of a part": (1, POSITIONS.T, POSITIONS.T.astype("i4")),
    "neighbours": (slice(None), [1, 0], [0, 1]),
    "neighbours in front": ([1, 0], [0, 1]),
    "apart": ([1, 0], slice(None), [0, 1]),
    "behind a number": (slice(None), 0, [1, 0]),
    "among slices": (slice(None, None, -1), [1, 0], slice(1, None)),
    "behind a new axis": (slice(None), None, [1, 0]),
    "a grid": (slice(None), [[1], [0]], [0, 1]),
    "a grid of steps": (slice(None), slice(None), [[[1]], [[0]]]),
    "one position": (slice(None), [1]),
    "without axes": (slice(None), numpy.array(1)),
    "truth": True,
    "a mask in front": numpy.array([True, False, True]),
    "a mask behind": (..., numpy.array([True, False, True])),
    "a mask of two axes": numpy.eye(3, dtype=bool),
    "a mask of the last two": (slice(None), numpy.eye(3, dtype=bool)),
    "a mask and positions": (numpy.array([True, False, True]), slice(None), [1, 0]),
}


@pytest.mark.parametrize("axes", [*AXES, "cut", "repeated"], ids=str)
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_the_order_of_what_an_index_selects(key: Any, axes: Any) -> None:
    def found(m: Any) -> Any:
        a = m.array(numpy.arange(128.0).reshape(4, 4, 8))
        if axes == "cut":
            a = a[::-1, 1:, :6:2][:3]
        elif axes == "repeated":
            a = m.broadcast_to(a[:3, :1, :3], (3, 3, 3))
        else:
            a = m.array(a[:3, :3, :3]).transpose(axes)
        return laid_out(a[key])

    assert found(np) == found(numpy)


def test_the_order_of_many_positions_in_a_vector() -> None:
    def found(m: Any) -> Any:
        places = m.array((numpy.arange(6000) * 7 % 6000).reshape(20, 300))
        return laid_out(m.array(numpy.arange(6000.0))[places.T])

    assert found(np) == found(numpy)


def test_many_rows_of_columns_that_an_index_selects() -> None:
    def found(m: Any, columns: int, picked: Any) -> Any:
        a = m.array(numpy.arange(columns * 3000.0).reshape(3000, columns))
        return laid_out(a[:, picked])

    for columns, picked in ((3, [2, 1, 0]), (3, [1]), (40, [3, 1] * 20), (40, [0, 39])):
        assert found(np, columns, picked) == found(numpy, columns, picked)


REPEATED: dict[str, Callable[[Any, Any], Any]] = {
    "copy": lambda m, a: a.copy("K"),
    "astype": lambda m, a: a.astype("f4"),
    "array": lambda m, a: m.array(a),
    "sum of NumPy's": lambda m, a: m.sum(numpy.asarray(a), 0),
    "asarray in any order": lambda m, a: m.asarray(a, "f4", order="A"),
    "zeros_like": lambda m, a: m.zeros_like(a),
    "ravel": lambda m, a: a.ravel("K").copy(),
    "flatten": lambda m, a: a.flatten("K"),
    "sum of the first": lambda m, a: a.sum(0),
    "sum of the last": lambda m, a: a.sum(-1),
    "mean that keeps axes": lambda m, a: a.mean(-1, keepdims=True),
    "most": lambda m, a: a.max(1),
    "product": lambda m, a: a * 2,
    "vecdot": lambda m, a: m.vecdot(a, a),
}


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("repeated", range(3))
@pytest.mark.parametrize("function", REPEATED.values(), ids=REPEATED)
def test_the_order_of_axes_that_are_repeated(
    function: Callable[[Any, Any], Any], repeated: int, axes: tuple[int, ...]
) -> None:
    def found(m: Any) -> Any:
        a = m.array(numpy.arange(60.0).reshape(3, 4, 5)).transpose(axes)
        one = a[(slice(None),) * repeated + (slice(1),)]
        return laid_out(function(m, m.broadcast_to(one, a.shape)))

    assert found(np) == found(numpy)


@pytest.mark.parametrize("dtype", ["M8[D]", "U2", object, "f8"])
@pytest.mark.parametrize("indices", [[1, 2], [[0, 1], [1, 0]]])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_order_of_what_is_taken(dtype: Any, indices: Any, axis: Any) -> None:
    def found(m: Any) -> Any:
        return laid_out(
            m.take(m.array(numpy.arange(12).reshape(3, 4).astype(dtype)), indices, axis)
        )

    assert found(np) == found(numpy)


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("name", ["array", "ascontiguousarray", "asfortranarray"])
def test_the_strides_of_axes_in_front(name: str, axes: tuple[int, ...]) -> None:
    def found(m: Any) -> Any:
        a = m.array(numpy.arange(24.0).reshape(2, 3, 4)).transpose(axes)
        if name == "array":
            parts = [m.array(x, ndmin=5, copy=None) for x in (a, a[::2], a[:, 1], a[0, 1, 1])]
        else:
            parts = [getattr(m, name)(x) for x in (a, a[::2], a[0, 1, 1], 3.5, [[1, 2]])]
        return [(x.tolist(), x.shape, x.strides, x.dtype.str) for x in parts]

    assert found(np) == found(numpy)


def test_steps_without_elements_or_along_one() -> None:
    """A new array without elements has steps of 0; a broadcast one, along axes of one element."""

    def steps(m: Any) -> Any:
        a = m.zeros((4, 5, 6))[:0]
        made = [
            a.copy(), a + a, -a.T, m.zeros_like(a), m.ones((2, 0), order="F"), a.sum(1), a[[]],
            m.stack([a, a], -1), m.concatenate([a, a], 1), a.reshape(0, 7), m.arange(0),
        ]  # fmt: skip
        views = [
            a, a.T, m.broadcast_to(m.zeros((1, 3, 1)), (2, 1, 3, 1)),
            m.broadcast_to(m.zeros((3, 1)), (3, 1)), m.broadcast_to(a[:, :1], a.shape),
            *m.broadcast_arrays(m.zeros((1, 1)), m.zeros((1, 4))),
        ]  # fmt: skip
        return [x.strides for x in made + views], [x.flags.c_contiguous for x in made]

    assert steps(np) == steps(numpy)
