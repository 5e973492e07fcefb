"""Pickles of protocol 5 and NumPy's `__setstate__`: data out of band, flags and layouts."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda m: m.arange(12.0).reshape(3, 4),
    "columns": lambda m: m.arange(12.0).reshape(3, 4).T,
    "strided": lambda m: m.arange(12.0).reshape(3, 4)[:, ::2],
    "reversed": lambda m: m.arange(5)[::-1],
    "permuted": lambda m: m.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "broadcast": lambda m: m.broadcast_to(m.arange(3), (2, 3)),
    "empty": lambda m: m.zeros((0, 3)),
    "empty strided": lambda m: m.zeros((4, 6))[1:1, ::2],
    "number": lambda m: m.array(3.5),
    "complex": lambda m: m.ones(3, "F") * 1j,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("out_of_band", [False, True])
@pytest.mark.parametrize("writeable", [True, False])
def test_round_trips(layout: str, protocol: int, out_of_band: bool, writeable: bool) -> None:
    if out_of_band and protocol < 5:
        return
    found = []
    for m in (numpy, hassium):
        a = LAYOUTS[layout](m)
        a.flags.writeable = writeable and a.flags.writeable
        buffers: list[pickle.PickleBuffer] = []
        kept = buffers.append if out_of_band else None
        text = pickle.dumps(a, protocol, buffer_callback=kept)
        b = pickle.loads(text, buffers=buffers)
        assert type(b) is type(a)
        assert numpy.array_equal(a, b)
        shared = bool(m.shares_memory(a, b))
        flags = b.flags
        found.append((b.shape, b.dtype, flags.c_contiguous, flags.f_contiguous, flags.writeable))
        found[-1] += (len(buffers), shared)
    theirs, ours = found
    assert ours == theirs


def test_memory_given_for_a_buffer_is_shared() -> None:
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(hassium.arange(4.0), 5, buffer_callback=buffers.append)
    memory = memoryview(bytearray(buffers[0].raw()))
    loaded = pickle.loads(text, buffers=[memory])
    loaded[0] = 9
    assert memory.cast("d")[0] == 9
    memory.cast("d")[1] = 7
    assert loaded.tolist() == [9, 7, 2, 3]


def test_what_a_pickle_holds_itself_is_work_for_later() -> None:
    loaded = pickle.loads(pickle.dumps(hassium.arange(1000.0), 5))
    hassium.reset_stats()
    assert (loaded * 2 + 1).sum() == 1000000
    assert not hassium.stats()["eager"]


def test_set_state() -> None:
    state = numpy.arange(6).reshape(2, 3).__reduce__()[2]
    a = hassium.zeros(4)
    view = a[1:]
    a.__setstate__(state)
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (a.dtype, a.flags.writeable, a.base) == (numpy.dtype(int), True, None)
    assert view.tolist() == [0, 0, 0]
    with pytest.raises(TypeError):
        a.__setstate__(1)
