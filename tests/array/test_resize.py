"""ndarray.resize, against NumPy: values, layout, zeros, and who may hold the memory meanwhile."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome

ARRAYS: dict[str, Callable[[Any], Any]] = {
    "vector": lambda m: m.arange(1, 7),
    "pending": lambda m: m.arange(6) * 2 + 1,
    "bytes": lambda m: m.array([1, 2, 3], "u1"),
    "bools": lambda m: m.array([True, False, True]),
    "complex matrix": lambda m: m.array([[1, 2j], [3, 4]]),
    "columns first": lambda m: m.asfortranarray(m.array([[1, 2, 3], [4, 5, 6]])),
    "number": lambda m: m.array(5.0),
    "nothing": lambda m: m.zeros((0, 3), "f4"),
    "strided": lambda m: m.arange(6)[::2],
    "reversed": lambda m: m.arange(6)[::-1],
    "tail": lambda m: m.arange(6)[1:],
    "columns of a matrix": lambda m: m.ones((2, 4))[:, 1:3],
    "of a buffer": lambda m: m.frombuffer(b"abcdefgh", "u1"),
    "of a buffer that may be written": lambda m: m.frombuffer(bytearray(8), "u1"),
}
SHAPES: list[tuple[Any, ...]] = [
    (), (None,), (3,), ((3,),), (2, 3), ((2, 3),), ([3, 2],), (4, 5), ((1, 2, 3, 4),), (0,),
    ((0, 5),), (np.int64(4),), (np.array(4),), ((1,) * 64,), ((1,) * 65,), (-1,), ((-1, 2),),
    ("hi",), (2.0,), (True,), ((None,),), (None, None), ((2, 2), 2), ((2**40, 2**40),), (2**70,),
]  # fmt: skip


def resized(m: Any, make: Callable[[Any], Any], shape: tuple[Any, ...], **options: Any) -> Any:
    array = make(m)
    assert array.resize(*shape, **options) is None
    flags = array.flags
    if array.ndim > 1 and array.size:
        assert array.strides == np.zeros(array.shape, array.dtype, "CF"[flags.fnc]).strides
    return array


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("options", [{}, {"refcheck": False}], ids=["checked", "unchecked"])
def test_as_numpy(name: str, shape: tuple[Any, ...], options: dict[str, Any]) -> None:
    ours, theirs = (
        case_outcome(lambda m: resized(m, ARRAYS[name], shape, **options), m) for m in (hs, np)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "options", [{"refcheck": "hi"}, {"refcheck": 1.0}, {"refcheck": None}, {"order": 1}], ids=str
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_options_as_numpy(shape: tuple[Any, ...], options: dict[str, Any]) -> None:
    for m in (hs, np):
        with pytest.raises(TypeError):
            m.arange(6).resize(*shape, **options)


def holders(array: Any) -> dict[str, Callable[[], Any]]:
    return {
        "another name": lambda: array,
        "a view": lambda: array[1:],
        "a list": lambda: [array],
        "NumPy": lambda: np.asarray(array),
        "a memoryview": lambda: memoryview(array),
        "a weak reference": lambda: weakref.ref(array),
    }


def held_by_others(name: str) -> str:
    """Returns what NumPy says: since Python 3.14 it can only suppose that others hold an array."""
    supposes = sys.version_info >= (3, 14) and name != "a weak reference"
    return "may be referenced" if supposes else "references or is referenced"


@pytest.mark.parametrize("name", holders(None))
def test_memory_that_others_hold_stays(name: str) -> None:
    for m in (hs, np):
        array = m.arange(1, 5)
        held = holders(array)[name]()
        array.resize(2, 2)  # the same memory
        with pytest.raises(ValueError, match=held_by_others(name)):
            array.resize(8)
        assert array.tolist() == [[1, 2], [3, 4]]
        del held


def test_views_outlive_an_unchecked_resize() -> None:
    array = hs.arange(1, 5)
    view, exported = array[1:], np.asarray(array)
    array.resize(6, refcheck=False)
    array[1] = 7
    assert array.tolist() == [1, 7, 3, 4, 0, 0]
    assert view.tolist() == exported[1:].tolist() == [2, 3, 4]


def test_work_that_waits_sees_the_old_and_the_new() -> None:
    array = hs.arange(1, 5) * 2
    before = array + 1
    array.resize(6)
    after = array + 1
    array.resize(2)
    assert before.tolist() == [3, 5, 7, 9]
    assert after.tolist() == [3, 5, 7, 9, 1, 1]
    assert array.tolist() == [2, 4]


def test_what_is_read_only_may_grow() -> None:
    for m in (hs, np):
        array = m.arange(1, 5)
        array.flags.writeable = False
        array.resize(2)
        assert array.tolist() == [1, 2]
        assert not array.flags.writeable


def test_a_list_outlives_a_resize_that_a_finalizer_makes() -> None:
    """New lists may start a garbage collection, and that any code."""
    array = hs.arange(30_000).reshape(10_000, 3).copy()

    class Cycle:
        def __del__(self) -> None:
            array.resize(2, refcheck=False)

    expected = np.arange(30_000).reshape(10_000, 3).tolist()
    before = gc.get_threshold()
    gc.collect()
    cycle: Any = Cycle()
    cycle.itself = cycle
    del cycle
    gc.set_threshold(200)
    try:
        assert array.tolist() == expected
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert array.shape == (2,)
