"""Shapes, views, attributes and flags, against NumPy."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import NATIVE, agree, every_layout, layouts, outcome, same, values
from hassium import _core

ATTRIBUTES = ["shape", "strides", "ndim", "size", "itemsize", "nbytes", "dtype"]


@pytest.mark.parametrize(("shape", "layout"), every_layout())
def test_attributes(shape: tuple[int, ...], layout: str) -> None:
    expected, array = layouts(shape)[layout]
    for name in ATTRIBUTES:
        if name == "strides" and 0 in shape:
            continue  # NumPy's own strides of empty arrays depend on how they were made
        assert getattr(array, name) == getattr(expected, name)
    for name in ("c_contiguous", "f_contiguous", "writeable", "aligned", "forc", "fnc"):
        assert getattr(array.flags, name) == getattr(expected.flags, name)
    assert array.flags["W"] is True
    assert array.device == "cpu"


@pytest.mark.parametrize(("shape", "layout"), every_layout())
@pytest.mark.parametrize(
    "action",
    [
        lambda a: a.T,
        lambda a: a.mT,
        lambda a: a.reshape(-1),
        lambda a: a.reshape(3, -1),
        lambda a: a.reshape((-1, 3), order="F"),
        lambda a: a.reshape(-1, order="A"),
        lambda a: a.reshape(7),
        lambda a: a.reshape(-1, -1),
        lambda a: a.reshape(-1, copy=False),
        lambda a: a.reshape(-1, copy=True),
        lambda a: a.ravel(),
        lambda a: a.ravel("F"),
        lambda a: a.ravel(order="K"),
        lambda a: a.ravel("A"),
        lambda a: a.flatten(),
        lambda a: a.flatten("F"),
        lambda a: a.transpose(),
        lambda a: a.transpose(1, 0),
        lambda a: a.transpose((0, 0)),
        lambda a: a.transpose(None),
        lambda a: a.swapaxes(0, -1),
        lambda a: a.squeeze(),
        lambda a: a.squeeze(1),
        lambda a: a.squeeze((0, 1)),
        lambda a: a.diagonal(),
        lambda a: a.diagonal(-1, 1, 0),
        lambda a: a.diagonal(5),
        lambda a: a.real,
        lambda a: a.imag,
        lambda a: a.copy(),
        lambda a: a.copy("F"),
        lambda a: a.astype("i4"),
        lambda a: a.astype("c8", order="F"),
        lambda a: a.astype("i4", casting="safe"),
        lambda a: a.view("i8"),
        lambda a: a.view("i4"),
        lambda a: a.view("c16"),
        lambda a: a[..., None].squeeze(-1),
        lambda a: a.tolist(),
        lambda a: a.tobytes(),
        lambda a: a.tobytes("F"),
        lambda a: list(a.flat),
        lambda a: a.flat[1:3],
        lambda a: a.flat[0],
        lambda a: a.item(),
        lambda a: a.item(-1),
        lambda a: list(a),
        lambda a: len(a),
        lambda a: 2 in a,
        lambda a: str(a),
        lambda a: repr(a),
        lambda a: f"{a}",
        lambda a: f"{a:.2f}",
        lambda a: float(a),
        lambda a: int(a),
        lambda a: complex(a),
        lambda a: bool(a),
        lambda a: hash(a),
    ],
)
def test_methods(action: Any, shape: tuple[int, ...], layout: str) -> None:
    expected, array = layouts(shape)[layout]

    def listed(result: Any) -> Any:
        return [numpy.asarray(r).tolist() for r in result] if isinstance(result, list) else result

    agree(lambda: listed(action(expected)), lambda: listed(action(array)))


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_every_dtype(dtype: numpy.dtype) -> None:
    expected = values((2, 3), dtype)
    array = _core.array(expected)
    same(expected, array)
    assert repr(array) == repr(expected)
    assert array.tolist() == expected.tolist()
    same(expected.real, array.real)
    same(expected.imag, array.imag)
    for other in NATIVE:
        if not (dtype.kind == "c" and other.kind not in "cb"):
            same(expected.astype(other), array.astype(other))


def test_views_share_and_copies_do_not() -> None:
    array = _core.array(values((4, 6)))
    expected = values((4, 6))
    for view in (array.T, array.reshape(6, 4), array.ravel(), array[::2], array.view("i8")):
        assert view.base is array
    for copy in (array.copy(), array.flatten(), array.T.reshape(-1), array.astype("f8")):
        assert copy.base is None
    array.reshape(-1)[5] = 99
    expected.reshape(-1)[5] = 99
    array.T[2] = -1
    expected.T[2] = -1
    same(expected, array)
    assert array.astype("f8", copy=False) is array


@pytest.mark.parametrize("name", ["ptp", "itemset", "newbyteorder", "nothing"])
def test_what_arrays_lack(name: str) -> None:
    with pytest.raises(AttributeError) as theirs:
        getattr(numpy.ones(2), name)
    with pytest.raises(AttributeError) as ours:
        getattr(hassium.ones(2), name)
    assert str(ours.value).replace("'hassium.", "'numpy.") == str(theirs.value)


@pytest.mark.parametrize("name", ["shares_memory", "may_share_memory"])
def test_whether_arrays_share_memory(name: str) -> None:
    shares, numpys = getattr(hassium, name), getattr(numpy, name)
    a, expected = hassium.arange(9.0), numpy.arange(9.0)
    for key in (slice(None), slice(3, 5), slice(1, None, 2), slice(0, 0)):
        wanted = numpys(expected[::2], expected[key])
        assert shares(a[::2], a[key]) is wanted
        assert shares(a[::2], numpy.asarray(a)[key]) is wanted
        assert shares(a[::2], a[key], max_work=None) is wanted
    pending = hassium.arange(1000.0) + 1
    hassium.flush()
    flushes = hassium.stats()["flushes"]
    pending += 1
    assert shares(pending, hassium.ones(1000) + pending) is False
    assert hassium.stats()["flushes"] == flushes


def test_parts_of_complex_arrays() -> None:
    expected = numpy.array([1 + 2j, 3 - 4j])
    array = _core.array(expected)
    array.real[...] = 7
    array.imag = [8, 9]
    expected.real[...] = 7
    expected.imag = [8, 9]
    same(expected, array)
    real = _core.arange(3)
    assert real.real is real
    assert not real.imag.flags.writeable
    with pytest.raises(TypeError, match="does not have imaginary part"):
        real.imag = 1


def test_assignment_to_shape_strides_and_dtype() -> None:
    array = _core.arange(6)
    array.shape = (2, -1)
    assert array.shape == (2, 3)
    with pytest.raises(ValueError, match="cannot reshape array of size 6 into shape"):
        array.shape = (4,)
    with pytest.raises(AttributeError, match="Incompatible shape for in-place modification"):
        array.T.shape = (6,)
    array.strides = (8, 16)
    assert array.tolist() == [[0, 2, 4], [1, 3, 5]]
    with pytest.raises(ValueError, match="not compatible with available memory"):
        array.strides = (800, 8)
    with pytest.raises(ValueError, match="not compatible with available memory"):
        array.strides = (2**62, 2**62)
    flat = _core.arange(3)
    flat.dtype = "i4"
    assert flat.shape == (6,)
    flat.flat = 1
    assert flat.tolist() == [1] * 6
    for name in ("shape", "strides", "dtype", "flat", "real"):
        with pytest.raises((TypeError, AttributeError)):
            delattr(flat, name)


def test_flags() -> None:
    array = _core.arange(3)
    array.flags.writeable = False
    view = array[1:]
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
        view.flags.writeable = True
    array.setflags(write=True)
    view.flags["WRITEABLE"] = True
    view[0] = 9
    assert array.tolist() == [0, 9, 2]
    assert str(array.flags) == str(numpy.arange(3).flags)
    with pytest.raises(KeyError, match="Unknown flag"):
        array.flags["Q"]
    with pytest.raises(AttributeError):
        array.flags.owndata = True


def test_flat_iterates_and_writes() -> None:
    expected, array = layouts((2, 3))["transposed"]
    iterator = array.flat
    next(iterator)
    assert (iterator.index, iterator.coords, len(iterator)) == (1, (0, 1), 6)
    for key, value in ((0, 5), (slice(1, 4), [7, 8]), ([0, -1], 3)):
        expected.flat[key] = value
        array.flat[key] = value
    same(expected, array)
    with pytest.raises(IndexError, match="out of bounds for size 6"):
        array.flat[6]


def test_weak_references_and_parents() -> None:
    array = _core.arange(10)
    view = array[2:]
    reference = weakref.ref(array)
    assert view[1:].base is array
    del array
    gc.collect()
    assert reference() is not None
    del view
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: _core.zeros(-1), ValueError),
        (lambda: _core.zeros((2**40, 2**40)), ValueError),
        (lambda: _core.zeros(2**60), (ValueError, MemoryError)),
        (lambda: _core.zeros(2**50), MemoryError),
        (lambda: _core.zeros(2**70), ValueError),
        (lambda: _core.zeros("a"), TypeError),
        (lambda: _core.zeros((1,) * 65), ValueError),
        (lambda: _core.zeros(3, order="Q"), ValueError),
        (lambda: _core.zeros(3, device="gpu"), ValueError),
        (lambda: _core.zeros(), TypeError),
        (lambda: _core.zeros(3, nonsense=1), TypeError),
        (lambda: _core.zeros(3, "not a dtype"), TypeError),
        (lambda: _core.zeros((0, 2**62, 2**62)), ValueError),
        (lambda: _core.arange(0, 1, 0), ZeroDivisionError),
        (lambda: _core.arange(1e30), ValueError),
        (lambda: _core.arange(float("nan")), ValueError),
        (lambda: _core.broadcast_to(_core.zeros((2, 6)), (3, 3)), ValueError),
        (lambda: _core.broadcast_to(_core.zeros(1), (-1,)), ValueError),
        (lambda: _core.broadcast_to(_core.zeros(1), (2**62, 2**62)), ValueError),
        (lambda: _core.view_of(_core.zeros(3), (4,), (8,)), ValueError),
        (lambda: _core.view_of(_core.zeros(3), (2,), (2**62,)), ValueError),
        (lambda: _core.view_of(_core.zeros(3), (1,), (8,), -8), ValueError),
        (lambda: _core.zeros(3).reshape(2**62, 2**62), ValueError),
        (lambda: _core.zeros(0).reshape(0, 2**62, 2**62), ValueError),
        (lambda: _core.zeros(3).transpose(9), (ValueError, numpy.exceptions.AxisError)),
        (lambda: _core.zeros(3).astype(), TypeError),
        (lambda: _core.zeros(3).view(int, 3), ValueError),
        (lambda: _core.zeros(3).item("a"), TypeError),
        (lambda: _core.zeros(3).nonsense, AttributeError),
        (lambda: _core.zeros(3).fill([1, 2]), ValueError),
        (lambda: _core.scalar(), TypeError),
    ],
)
def test_bad_arguments(action: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        action()


@pytest.mark.parametrize(
    "sections",
    [3, 1, 0, -1, 2.0, True, numpy.int64(2), numpy.array(2), numpy.array(True), [1, 3], (1,), []]
    + [numpy.array([1, 3]), numpy.array([1.0]), [1.5], "2", None],
    ids=repr,
)
def test_array_split_takes_a_number_or_positions(sections: Any) -> None:
    native = isinstance(sections, numpy.ndarray)
    for ours in (sections, hassium.array(sections)) if native else (sections,):
        kind, want = outcome(lambda: numpy.array_split(values((5, 2)), sections))
        own_kind, have = outcome(
            lambda ours=ours: hassium.array_split(hassium.array(values((5, 2))), ours)
        )
        assert own_kind == kind
        if kind == "error":
            assert have == want
            continue
        for part, own_part in zip(want, have, strict=True):
            same(part, own_part)


def test_size_in_memory() -> None:
    for m in (hassium, numpy):
        array = m.ones((10, 100))
        for owner in (array, array + 1, array.copy(), m.zeros(8000, "i1")):
            assert 0 < sys.getsizeof(owner) - owner.nbytes < 300
        for view in (array[...], array.T, array[::2], array.reshape(-1)):
            assert sys.getsizeof(view) < 300


@pytest.mark.filterwarnings("ignore:Numpy has detected:DeprecationWarning")
@pytest.mark.parametrize("make", ["broadcast_arrays", "meshgrid"])
def test_arrays_that_were_broadcast_are_written(make: str) -> None:
    """NumPy warns of it, and writes; a view of what is read-only stays so."""

    def written(module: Any) -> Any:
        source = module.arange(3)
        if make == "broadcast_arrays":
            wide = module.broadcast_arrays(source, module.zeros((4, 3)))[0]
        else:
            wide = module.meshgrid(source, module.zeros(4), copy=False)[0]
        wide[1, 0] = 7
        wide += 1
        wide[:] = wide * module.array([[1], [2], [3], [4]])
        return wide.tolist(), source.tolist()

    assert written(hassium) == written(numpy)
    fixed = hassium.arange(3)
    fixed.flags.writeable = False
    assert not hassium.broadcast_arrays(fixed, hassium.zeros((4, 3)))[0].flags.writeable


def test_what_numpy_makes_read_only_is_read_only() -> None:
    """Results of functions that run in NumPy, such as the imaginary part of a buffer."""
    part = hassium.imag(memoryview(hassium.arange(4.0)))
    assert not part.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        part[0] = 1
