"""Memory shared with NumPy, buffers, pickles and other ways out and in."""

from __future__ import annotations

import copy
import ctypes
import gc
import hashlib
import pickle
import weakref
from typing import Any

import numpy
import pytest

from array_pairs import NATIVE, every_layout, layouts, same, values
from hassium import _core


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_buffers_describe_themselves(dtype: numpy.dtype) -> None:
    expected = values((2, 3), dtype)
    array = _core.array(expected)
    view = memoryview(array)
    assert (view.shape, view.strides, view.readonly) == (expected.shape, expected.strides, False)
    assert view.format == memoryview(expected).format
    assert numpy.asarray(array).dtype == dtype
    assert bytes(array) == expected.tobytes()


@pytest.mark.parametrize(("shape", "layout"), every_layout())
def test_both_sides_see_writes(shape: tuple[int, ...], layout: str) -> None:
    expected, array = layouts(shape)[layout]
    outside = numpy.asarray(array)
    same(expected, outside)
    if not expected.size:
        return
    array += 1
    expected += 1
    assert numpy.array_equal(outside, expected)
    outside *= 2
    expected *= 2
    same(expected, array)
    later = array * 3
    outside[...] = 0
    same(expected * 3, later)
    del outside
    gc.collect()
    array[...] = 5
    assert (array + 1).sum() == 6 * expected.size


def test_pending_work_is_done_before_the_memory_leaves() -> None:
    array = _core.zeros(100_000)
    for step in range(5):
        array = array + step
    assert numpy.asarray(array).max() == 10
    view = memoryview(array)
    array[...] = 1
    assert view[0] == 1
    view.release()


def test_array_protocol() -> None:
    array = _core.arange(4)
    shared = array.__array__()
    shared[0] = 9
    assert array[0] == 9
    assert array.__array__("f4").dtype == numpy.float32
    copied = array.__array__(copy=True)
    copied[0] = 1
    assert array[0] == 9
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        array.__array__("f4", copy=False)
    assert array.to_numpy().base is None


def test_addresses_stay_good() -> None:
    array = _core.arange(4.0)
    address = array.__array_interface__["data"][0]
    array += 1
    assert (ctypes.c_double * 4).from_address(address)[:] == [1, 2, 3, 4]
    pointer = array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    array += 1
    assert pointer[3] == 5


def test_dlpack() -> None:
    array = _core.arange(6.0).reshape(2, 3)
    outside = numpy.from_dlpack(array)
    array += 1
    assert outside.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert array.__dlpack_device__() == (1, 0)


def test_read_only_buffers() -> None:
    array = _core.arange(4)
    array.flags.writeable = False
    assert memoryview(array).readonly
    assert not numpy.asarray(array).flags.writeable
    with pytest.raises((ValueError, BufferError, TypeError)):
        (ctypes.c_char * 8).from_buffer(array)


def test_foreign_memory_is_shared_on_request() -> None:
    outside = numpy.arange(8.0)
    array = _core.asarray(outside, copy=False)
    array += 1
    assert outside[0] == 1
    outside[...] = 3
    assert (array * 2).tolist() == [6] * 8
    half, other = array[:4], _core.asarray(outside[2:6], copy=False)
    half += other
    assert outside.tolist() == [6, 6, 6, 6, 3, 3, 3, 3]
    assert array.base is outside
    assert not _core.asarray(numpy.broadcast_to(1.0, 3), copy=False).flags.writeable
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        _core.asarray([1, 2], copy=False)


def test_arrays_made_over_buffers() -> None:
    memory = bytearray(32)
    array = _core.ndarray((2, 2), "f8", memory)
    array[...] = 1.5
    assert memory == bytes(_core.full((2, 2), 1.5))
    with pytest.raises(TypeError):
        _core.ndarray((9, 9), "f8", memory)


def test_asarray_copies_what_others_hold() -> None:
    outside = numpy.arange(100_000.0)
    array = _core.asarray(outside)
    with pytest.warns(_core.CopyWarning, match="writing to a copy"):
        array += 1
    array += 1
    assert outside[0] == 0
    assert _core.asarray(array) is array
    assert _core.asarray(array, "f4").dtype == numpy.float32
    assert _core.array(array) is not array


@pytest.mark.parametrize(
    "source",
    [
        3,
        2.5,
        1j,
        True,
        [1, 2],
        [[1, 2.5], [3, 4]],
        (),
        [],
        range(4),
        numpy.float32(2),
        numpy.arange(6).reshape(2, 3).T,
        memoryview(b"abc"),
    ],
    ids=lambda source: type(source).__name__,
)
def test_array_of_anything(source: Any) -> None:
    expected = numpy.asarray(source)
    array = _core.array(source)
    assert type(array) is _core.ndarray
    assert numpy.array_equal(expected, array.to_numpy())
    assert array.dtype == expected.dtype.newbyteorder("=")
    assert _core.array(source, ndmin=3).ndim == 3
    assert _core.array(source, dtype="c16").dtype == numpy.complex128


def test_other_dtypes_are_numpys() -> None:
    for made in (
        _core.array("x"),
        _core.zeros(2, object),
        _core.array([None]),
        _core.empty(2, "M8[s]"),
    ):
        assert type(made) is numpy.ndarray
    assert type(_core.arange(3).astype("U3")) is numpy.ndarray


def test_pickle_and_copy() -> None:
    for _, array in layouts((2, 3)).values():
        for clone in (pickle.loads(pickle.dumps(array)), copy.copy(array), copy.deepcopy(array)):
            assert type(clone) is _core.ndarray
            same(array.to_numpy(), clone)
            clone[...] = 0
            assert array.sum() != 0
    scalar = _core.arange(4).sum()
    assert pickle.loads(pickle.dumps(scalar)) == 6
    same_scalar = copy.deepcopy(scalar) is scalar
    number = numpy.int64(6)
    assert same_scalar == (copy.deepcopy(number) is number)


def test_ranges() -> None:
    for arguments in [
        (5,),
        (2, 9),
        (9, 2, -3),
        (0.0, 1.0, 0.1),
        (5, 5),
        (3, 0),
        (1, 2, 0.3),
        (2.5,),
    ]:
        same(numpy.arange(*arguments), _core.arange(*arguments))
        same(numpy.arange(*arguments, dtype="f4"), _core.arange(*arguments, dtype="f4"))


@pytest.mark.parametrize("strides", [(1, 2), (2, 2), (26, 2), (-26, 2)])
@pytest.mark.parametrize("row", [0, 2, 3])
def test_memory_that_comes_back_overlaps_where_it_came_from(
    strides: tuple[int, int], row: int
) -> None:
    import hassium

    def run(xp: Any) -> Any:
        x = xp.asarray(start.copy())
        origin = x[4:] if strides[0] < 0 else x
        view = xp.lib.stride_tricks.as_strided(origin, (5, 13), strides)
        xp.add.reduce(x, axis=0, out=view[row])
        x[:5] += view
        view[row] += x[1]
        x[1:6] = xp.lib.stride_tricks.as_strided(x, (5, 13), (26, 2))
        x[0] = view[row][::-1]
        return numpy.asarray(x)

    start = numpy.random.default_rng(row).integers(0, 2**15, (7, 13)).astype("i2")
    assert numpy.array_equal(run(hassium), run(numpy))


def test_memory_found_by_a_bare_address_overlaps() -> None:
    import hassium

    class Address:
        def __init__(self, array: Any) -> None:
            self.__array_interface__ = array.__array_interface__

    start = numpy.arange(30).reshape(6, 5) ** 2
    x = hassium.array(start)
    view = hassium.array(numpy.asarray(Address(x)), copy=False)
    hassium.add.reduce(x, axis=0, out=view[2])
    assert numpy.array_equal(view[2], start.sum(axis=0))
    view[1:] = x[:-1]
    assert numpy.array_equal(x[4], start[3])


def test_who_asks_for_bytes_gets_no_axes() -> None:
    values = numpy.arange(12.0).reshape(3, 4)
    ours = _core.array(values)
    assert hashlib.sha256(ours).digest() == hashlib.sha256(values).digest()
    assert memoryview(ours).shape == (3, 4)


# --- exports for the time of a call


def call(function: Any, *args: Any) -> Any:
    return _core.call_numpy(function, args, {}, None)


def test_a_kept_export_keeps_the_memory() -> None:
    kept: list[Any] = []
    array = _core.arange(4.0)
    call(kept.append, array)
    call(kept.append, array)
    assert kept[0] is kept[1]
    array += 1
    assert kept[0].tolist() == kept[1].tolist() == [1, 2, 3, 4]
    kept[0][0] = 9
    assert array.tolist() == [9, 2, 3, 4]
    del array
    gc.collect()
    others = [_core.zeros(4) for _ in range(10)]
    assert kept[1].tolist() == [9, 2, 3, 4]
    assert sum(other.sum() for other in others) == 0


def test_views_and_errors_keep_exports() -> None:
    kept: list[Any] = []
    array = _core.arange(4.0)
    call(lambda lent: kept.append(lent[1:]), array)
    array += 1
    assert kept[0].tolist() == [2, 3, 4]

    def fail(lent: Any) -> None:
        raise KeyError(lent)

    with pytest.raises(KeyError) as caught:
        call(fail, array)
    array += 1
    assert caught.value.args[0].tolist() == array.tolist() == [2, 3, 4, 5]


def test_exports_of_a_call_are_reused_unchanged() -> None:
    array = _core.arange(4.0)

    def change(lent: Any) -> None:
        lent.setflags(write=False)
        lent.shape = (2, 2)

    def cast(lent: Any) -> None:
        lent.dtype = numpy.int64

    gone: list[Any] = []
    for function in (change, cast, lambda lent: gone.append(weakref.ref(lent))):
        call(function, array)
        seen = call(lambda lent: (lent.shape, lent.dtype, lent.flags.writeable), array)
        assert seen == ((4,), numpy.float64, True)
    assert gone[0]() is None
    array.flags.writeable = False
    assert call(lambda lent: lent.flags.writeable, array) is False


def test_one_array_is_exported_once_in_a_call() -> None:
    array = _core.arange(4.0)
    assert call(lambda x, y, z: x is y is z[0], array, array, [array])


def test_keywords_of_a_call() -> None:
    array = _core.arange(4.0)
    assert _core.call_numpy(dict, (), {"one": array}, None)["one"].sum() == 6
    with pytest.raises(TypeError, match="keywords must be strings"):
        _core.call_numpy(dict, (), {1: array}, None)  # type: ignore[dict-item]


@pytest.mark.parametrize("count", [3, 16, 17, 500])
def test_each_of_many_arrays_stays_itself(count: int) -> None:
    given = [_core.full(3, float(k)) for k in range(count)]
    lent: list[Any] = []

    def function(arrays: list[Any], first: Any) -> Any:
        lent.extend(arrays)
        assert arrays[0] is first
        return [*arrays, arrays[-1][1:], given[0], numpy.zeros(2)]

    found = call(function, given + given[::-1], given[0])
    assert all(type(one) is numpy.ndarray for one in lent)
    assert all(a is b for a, b in zip(found, given + given[::-1], strict=False))
    part, kept, new = found[-3:]
    assert part.base is given[0]
    assert kept is given[0]
    assert type(new) is _core.ndarray
