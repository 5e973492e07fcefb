"""Buffers of arrays, and what comes back from them."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
import pytest

import hassium as hs

SHAPES: list[tuple[int, ...]] = [(), (4,), (2, 3), (1, 10), (10, 1), (1, 1, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_an_array_of_a_buffer_is_a_view(shape: tuple[int, ...]) -> None:
    array = hs.ones(shape)
    made = hs.asarray(memoryview(array))
    assert made is not array
    assert hs.shares_memory(made, array)
    assert not made.flags.owndata
    assert made.base.obj is array
    made.shape = (-1,)
    assert array.shape == shape
    assert hs.array(memoryview(array)).flags.owndata


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_axes_of_one_element_have_strides_as_numpys(shape: tuple[int, ...], turned: bool) -> None:
    strides = tuple(
        -1 if extent == 1 else s for extent, s in zip(shape, np.ones(shape).strides, strict=True)
    )

    def buffer(m: Any) -> memoryview:
        array = m.lib.stride_tricks.as_strided(m.ones(shape), strides=strides)
        return memoryview(array.T if turned else array)

    assert buffer(hs).strides == buffer(np).strides
    assert buffer(hs).tobytes() == buffer(np).tobytes()


def test_elements_assigned_by_position_in_c() -> None:
    """C adds the length to a negative position, once."""

    def outcome(m: Any, position: int) -> Any:
        array = m.arange(4.0)
        assign = ctypes.pythonapi.PySequence_SetItem
        assign.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object]
        try:
            assign(array, position, 9.0)
        except IndexError:
            return "refused"
        return array.tolist()

    for position in (0, 3, -1, -4, 4, -5, -8):
        assert outcome(hs, position) == outcome(np, position)


def test_the_size_counts_extents_and_strides() -> None:
    array = hs.ones(100)
    assert sys.getsizeof(array) < sys.getsizeof(array.reshape(100, 1, 1).copy())
    assert sys.getsizeof(array[::2]) < sys.getsizeof(array)
