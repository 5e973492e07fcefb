"""Copies by asarray: the first write warns, and they are as writeable as the original."""

from __future__ import annotations

import pickle
from typing import Any

import numpy
import pytest

from hassium import _core


def writes() -> dict[str, Any]:
    def multiply(a: Any) -> None:
        a *= 2

    return {
        "item": lambda a: a.__setitem__(0, 1),
        "view": lambda a: a[1:].__setitem__(0, 1),
        "reshaped": lambda a: a.reshape(2, 2).fill(1),
        "in place": multiply,
        "out": lambda a: _core.ufuncs["add"](a, 1, out=a),
        "flat": lambda a: a.flat.__setitem__(0, 1),
    }


@pytest.mark.parametrize("write", writes().values(), ids=writes())
def test_the_first_write_to_a_copy_warns(write: Any, recwarn: Any) -> None:
    import hassium

    outside = numpy.arange(4.0)
    for source in (outside, outside[:], outside.reshape(4)):
        copy = hassium.asarray(source)
        with pytest.warns(hassium.CopyWarning) as caught:
            write(copy)
        assert caught[0].filename == __file__
        assert outside.tolist() == [0, 1, 2, 3]
    recwarn.clear()
    for quiet in (
        hassium.array(outside),
        hassium.asarray(outside, "f4"),
        hassium.asarray(numpy.arange(4.0)),
        hassium.asarray(outside, copy=False),
        hassium.asarray([1.0, 2.0, 3.0, 4.0]),
    ):
        write(quiet)
    with hassium.config(asarray_shares=True):
        write(hassium.asarray(outside))
    assert not recwarn.list


def test_a_copy_is_as_writeable_as_the_original() -> None:
    import hassium

    outside = numpy.arange(4.0)
    outside.flags.writeable = False
    for copied in (hassium.asarray(outside), hassium.ascontiguousarray(outside)):
        assert not copied.flags.writeable
    assert hassium.array(outside).flags.writeable


def test_nothing_is_added_to_read_only_memory() -> None:
    """NumPy refuses arrays with more axes, and writes into vectors."""
    for shape in ((3,), (2, 3)):
        with pytest.raises(ValueError, match="read-only"):
            _core.ufuncs["add"].at(_core.broadcast_to(_core.zeros(1), shape), [0], 1.0)


@pytest.mark.parametrize("elements", [4, 126, 5000])  # NumPy copies few out of the pickle
def test_an_unpickled_array_owns_its_elements(elements: int) -> None:
    import hassium

    outside = pickle.loads(pickle.dumps(numpy.arange(float(elements))))
    for source in (outside, outside[::2], outside.reshape(2, -1)):
        for convert in (hassium.asarray, hassium.asanyarray, hassium.ascontiguousarray):
            copy = convert(source)
            assert type(copy) is hassium.ndarray
            assert copy.flags.writeable
            assert copy.tolist() == source.tolist()
        copy = hassium.asarray(source)
        if numpy.shares_memory(copy, source):  # NumPy 2.5 has a memoryview of the pickle
            continue
        with pytest.warns(hassium.CopyWarning):
            copy[...] = 0
    assert hassium.isclose(outside, outside).all()
    shared = hassium.asarray(outside, copy=False)
    shared[0] = 7
    assert outside[0] == 7
