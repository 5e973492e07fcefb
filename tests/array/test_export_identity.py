"""One export of an array at a time: its life, its flags and its bases."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import numpy
import pytest

from hassium import _core


def test_an_array_has_one_export() -> None:
    array = _core.arange(6.0)
    export = array.__array__()
    assert array.__array__() is export
    assert _core.call_numpy(lambda given: given is export, (array,), {}, None)
    assert export.base.obj is array
    assert _core.asarray(export) is array
    part = _core.asarray(export[1:])
    assert part.base is array
    export.shape = (2, 3)  # it shows another array now
    assert array.__array__().shape == (6,)
    assert _core.asarray(export).shape == (2, 3)


def test_views_of_an_export_keep_no_export() -> None:
    import hassium

    array = _core.arange(6.0)
    views = [_core.as_view(numpy.asarray(array)[1:]), _core.as_view(array.__array__()[::2])]
    hassium.reset_stats()
    total = views[0].sum() + (views[1] * 2).sum() + (array * 3).sum()
    assert not hassium.stats()["eager"]
    assert total == 15 + 12 + 45


def test_a_base_that_outlives_its_export() -> None:
    array = _core.arange(6.0)
    held = array.__array__().base
    gc.collect()
    again = array.__array__()
    again[0] = 5
    assert array[0] == 5
    assert again.base is not held
    del array, again
    assert held.obj.tolist() == [5, 1, 2, 3, 4, 5]


def test_weak_references_to_an_export_see_it_die() -> None:
    array = _core.arange(6.0)
    seen: list[Any] = []
    export = array.__array__()
    reference = weakref.ref(export, lambda _: seen.append(array.__array__().sum()))
    del export
    assert reference() is None
    assert seen == [15]


@pytest.mark.parametrize("layout", [lambda a: a, lambda a: a[::2], lambda a: a.reshape(2, 3).T])
def test_writable_again(layout: Any) -> None:
    array = layout(_core.arange(6.0))
    export = array.__array__()
    export.setflags(write=False)
    export.setflags(write=True)
    export[...] = 1
    del export
    array.flags.writeable = False
    export = array.__array__()
    assert not export.flags.writeable
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        export.flags.writeable = True


def test_alignment_can_be_denied() -> None:
    for array in (numpy.arange(3.0), _core.arange(3.0)):
        array.setflags(align=False)
        assert not array.flags.aligned
        assert array[:].flags.aligned
        array.setflags(align=True)
        assert array.flags.aligned


def test_bases_and_owners() -> None:
    for m in (numpy, _core):
        a = m.arange(4.0)
        assert a.base is None
        assert a.flags.owndata
        for view in (a.reshape(2, 2), a.ravel(), a.reshape(2, 2).T.reshape(1, 4)[0][::-1]):
            assert not view.flags.owndata or view.base is None
        assert a.reshape(2, 2).base is a
        assert not a.ravel().flags.owndata


def test_pointers_keep_the_memory() -> None:
    array = _core.arange(4.0)
    pointer = array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    del array
    gc.collect()
    others = [_core.full(4, 7.0) for _ in range(10)]
    assert pointer[:4] == [0, 1, 2, 3]
    assert len(others) == 10


def test_memory_of_buffers_is_the_base() -> None:
    import hassium

    memory = bytearray(16)
    assert hassium.asarray(memoryview(memory)).base.obj is memory
    assert hassium.frombuffer(memory).base.obj is memory
    array = hassium.arange(3.0)
    assert hassium.frombuffer(array).base is array


def test_elements_in_a_row_share_memory() -> None:
    for m in (numpy, _core):
        array = m.arange(6.0).reshape(2, 3)
        flat = numpy.asarray(array.flat)
        flat[1] = 9
        assert array[0, 1] == 9
        assert not numpy.shares_memory(numpy.asarray(array.T.flat), flat)
