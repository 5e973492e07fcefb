"""Reading and writing by index, basic and advanced, against NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

import hassium
from array_pairs import agree, layouts, outcome, pairs_of, same, shapes, values
from hassium import _core


@st.composite
def advanced_keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """A tuple of integers, slices, newaxis, one ellipsis, positions, masks, near enough."""
    common = draw(nps.array_shapes(min_dims=1, max_dims=2, max_side=3))
    items: list[Any] = []
    axis = 0
    ellipsis = False
    while axis < len(shape):
        extent = shape[axis]
        choices = ["integer", "slice", "positions", "positions", "mask", "newaxis", "truth", "stop"]
        kind = draw(st.sampled_from(choices + ([] if ellipsis else ["ellipsis"])))
        if kind == "stop":
            break
        if kind == "newaxis":
            items.append(None)
        elif kind == "truth":
            items.append(draw(st.booleans()))
        elif kind == "ellipsis":
            ellipsis = True
            items.append(...)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "integer":
            items.append(draw(st.integers(-extent - 1, extent)))
            axis += 1
        elif kind == "slice":
            items.append(draw(st.slices(extent)))
            axis += 1
        elif kind == "positions":
            own = draw(st.sampled_from([common, common[-1:], (1,) * len(common), ()]))
            dtype = draw(st.sampled_from(["i8", "i4", "i2"]))
            bound = max(extent, 1)
            elements = st.integers(-bound, bound - 1)
            positions = draw(nps.arrays(dtype, own, elements=elements))
            items.append(positions.tolist() if draw(st.booleans()) and own else positions)
            axis += 1
        else:
            covered = draw(st.integers(1, min(2, len(shape) - axis)))
            items.append(draw(nps.arrays(bool, shape[axis : axis + covered])))
            axis += covered
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


def ours(key: Any, convert: bool) -> Any:
    if isinstance(key, tuple):
        return tuple(ours(item, convert) for item in key)
    return _core.array(key) if convert and isinstance(key, numpy.ndarray) else key


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_basic_keys(data: st.DataObject) -> None:
    shape = data.draw(shapes())
    expected, array = data.draw(pairs_of(shape))
    key = data.draw(nps.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    agree(lambda: expected[key], lambda: array[key])
    view = expected[key]
    if isinstance(view, numpy.ndarray):
        fresh = numpy.arange(view.size, dtype="f8").reshape(view.shape) + 100
        expected[key] = fresh
        array[key] = fresh
        same(expected, array)


@settings(deadline=None, max_examples=500)
@given(st.data())
def test_advanced_keys(data: st.DataObject) -> None:
    shape = data.draw(shapes(1))
    expected, array = data.draw(pairs_of(shape))
    key = data.draw(advanced_keys(shape))
    own_key = ours(key, data.draw(st.booleans()))
    agree(lambda: expected[key], lambda: array[own_key])
    kind, result = outcome(lambda: expected[key])
    extents = numpy.shape(result) if kind == "value" else ()
    keep = data.draw(st.lists(st.booleans(), min_size=len(extents), max_size=len(extents)))
    extents = tuple(n if k else 1 for n, k in zip(extents, keep, strict=True))
    skip = data.draw(st.integers(0, len(extents)))
    # Equal positions may meet different values: which one stays is NumPy's order, the last.
    value: Any = values(extents[skip:]) + 1000
    if data.draw(st.booleans()):
        value = 7
    own_value = _core.array(value) if data.draw(st.booleans()) else value
    wrote, _ = outcome(lambda: expected.__setitem__(key, value))
    own_wrote, _ = outcome(lambda: array.__setitem__(own_key, own_value))
    assert wrote == own_wrote
    if wrote == "value":
        same(expected, array)


def test_a_slice_is_a_view_and_positions_copy() -> None:
    array = _core.arange(6).reshape(2, 3)
    part = array[:, 1:]
    part[...] = -1
    assert array.tolist() == [[0, -1, -1], [3, -1, -1]]
    copy = array[[0, 1]]
    copy[...] = 9
    assert array.tolist() == [[0, -1, -1], [3, -1, -1]]
    assert part.base is array.base
    assert copy.base is None


def test_an_element_is_numpys_own_scalar() -> None:
    for dtype in ("?", "i2", "f4", "c16"):
        array = _core.ones((2, 2), dtype=dtype)
        assert type(array[1, 0]) is type(numpy.ones(1, dtype)[0])
    assert type(_core.ones((2, 2))[...]) is _core.ndarray
    zero = _core.array(3.0)
    assert type(zero[()]) is numpy.float64
    assert zero[...].shape == ()


def test_masks_stay_lazy_and_pending_masks_work() -> None:
    expected = numpy.arange(24.0).reshape(4, 6)
    array = _core.array(expected)
    array[array > 10] = 0
    expected[expected > 10] = 0
    array[array < 3] += 5
    expected[expected < 3] += 5
    same(expected, array)
    array[:, _core.array([True, False] * 3)] = numpy.arange(4.0)[:, None]
    expected[:, [True, False] * 3] = numpy.arange(4.0)[:, None]
    same(expected, array)


def test_an_index_is_read_at_the_call() -> None:
    array = _core.arange(5.0)
    index = _core.array([0, 4])
    assert array[index].tolist() == [0, 4]
    index[1] = 5
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 5"):
        array[index]
    index[1] = 2
    taken = array[index]
    index[...] = 0
    assert taken.tolist() == [0, 2]
    view = numpy.asarray(index)
    view[1] = 7
    with pytest.raises(IndexError, match="index 7"):
        array[index]


def test_repeated_positions_keep_the_last_value() -> None:
    array = _core.zeros(4)
    array[[1, 1, 2, 1]] = [5, 6, 7, 8]
    assert array.tolist() == [0, 8, 7, 0]
    array[[1, 1]] += 1
    assert array.tolist() == [0, 9, 7, 0]


def test_overlapping_assignment_reads_first() -> None:
    for expected, array in layouts((6,)).values():
        expected[1:] = expected[:-1].copy()
        array[1:] = array[:-1]
        same(expected, array)
        expected[::-1] = expected.copy()
        array[::-1] = array
        same(expected, array)


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (5, IndexError, "index 5 is out of bounds for axis 0 with size 2"),
        ((0, -4), IndexError, "index -4 is out of bounds for axis 1 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for array: array is 2-dimensional, but 3"),
        (1.0, IndexError, "only integers, slices"),
        ("x", IndexError, "only integers, slices"),
        ([0, 5], IndexError, "index 5 is out of bounds for axis 0"),
        ([0.5], IndexError, "only integers, slices"),
        ([True, False, True], IndexError, "boolean index did not match indexed array along axis 0"),
        ((..., ...), IndexError, "single ellipsis"),
        (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together with shapes"),
        (2**70, IndexError, "only integers|cannot fit"),
        ((None,) * 70, IndexError, "number of dimensions|too many"),
        (slice("a", None), TypeError, "slice indices must be integers"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (object(), IndexError, "only integers|must be of integer"),
        (numpy.zeros((3, 3), bool), IndexError, "boolean index did not match"),
    ],
)
def test_bad_keys(key: Any, error: type[Exception], text: str) -> None:
    array = _core.array(values((2, 3)))
    with pytest.raises(error, match=text):
        array[key]
    with pytest.raises(error, match=text):
        array[key] = 1
    same(values((2, 3)), array)


@pytest.mark.parametrize(
    ("dtype", "key", "value", "error", "text"),
    [
        ("f8", slice(None), numpy.zeros((3, 2)), ValueError, "could not broadcast input array"),
        ("f8", (0, 0), [1, 2], ValueError, "setting an array element with a sequence"),
        ("u1", 0, 300, OverflowError, "out of bounds for uint8"),
        ("i4", (0, 0), float("nan"), ValueError, "cannot convert float NaN"),
        ("i4", (0, 0), 1j, TypeError, "int"),
        ("f8", (0, 0), "x", ValueError, "could not convert string"),
        ("f8", (0, 0), object(), TypeError, "float"),
        ("f8", [0, 1], numpy.zeros((2, 2)), ValueError, "broadcast"),
        ("f8", [99], [1.0, 2.0], ValueError, "broadcast"),
        ("f8", [99], numpy.zeros((2, 3)), ValueError, "broadcast"),
        ("f8", ([99], [0]), [1.0, 2.0], ValueError, "broadcast"),
        ("f8", [99], [[1.0, 2.0, 3.0]], IndexError, "out of bounds"),
        ("f8", [99], 1.0, IndexError, "out of bounds"),
        ("f8", [99], "x", ValueError, "could not convert"),
        ("f8", values((2, 3)) > 1, [1.0, 2.0], ValueError, "cannot assign 2 input values to the 4"),
        ("f8", values((2, 3)) > 1, [[1.0]], TypeError, "requires a 0 or 1-dimensional input"),
        ("f8", values((2, 3)) > 1, numpy.zeros((1, 4)), TypeError, "input has 2 dimensions"),
    ],
)
def test_bad_values(dtype: str, key: Any, value: Any, error: type[Exception], text: str) -> None:
    array = _core.array(values((2, 3), dtype))
    with pytest.raises(error, match=text):
        array[key] = value
    same(values((2, 3), dtype), array)


def test_read_only_and_deletion() -> None:
    array = _core.broadcast_to(_core.arange(3), (2, 3))
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        array += 1
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del array[0]
    scalar = _core.arange(3).sum()
    with pytest.raises(TypeError, match="does not support item assignment"):
        scalar[()] = 1


def test_keys_whose_reading_changes_the_array() -> None:
    array = _core.arange(6)

    class Reshapes:
        def __index__(self) -> int:
            array.shape = (2, 3)
            return 1

    assert array[Reshapes() :].shape == (5,)
    assert array.shape == (2, 3)


POSITIONS = [
    1.5, True, -1, 2**70, 1e300, float("nan"), 1j, None, "1", numpy.float32(1), numpy.uint8(2),
    [1.0, 2.5], (0, 2), [[1, 0.5]], [True], ["1"], [None], [1j], [], [numpy.array(1.5)],
    numpy.array(2), numpy.array(1.0), numpy.array([1, 2], "u8"), numpy.array([1.0]),
    numpy.array([]), numpy.array([True]), numpy.array(["1"]), numpy.array([0, -1], "i1"),
]  # fmt: skip


@pytest.mark.parametrize("positions", POSITIONS, ids=repr)
def test_positions_are_converted_as_numpy_converts_them(positions: Any) -> None:
    native = isinstance(positions, numpy.ndarray) and positions.dtype.kind in "iubf"
    for ours in (positions, hassium.array(positions)) if native else (positions,):
        agree(
            lambda: numpy.take(numpy.arange(3), positions),
            lambda ours=ours: hassium.take(hassium.arange(3), ours),
        )

        def put(np: Any, ind: Any) -> Any:
            a = np.arange(3)
            np.put(a, ind, 7)
            return a

        agree(lambda: put(numpy, positions), lambda ours=ours: put(hassium, ours))


@pytest.mark.parametrize("dtype", ["?", "f8", "i4", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 5), (2, 3, 4), (0, 3), (3, 0)])
def test_argwhere(shape: tuple[int, ...], dtype: str) -> None:
    values = numpy.random.default_rng(1).random(shape)
    x = (numpy.asarray(values > 0.5) * 3).astype(dtype)
    expected, found = numpy.argwhere(x), hassium.argwhere(hassium.array(x))
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(numpy.asarray(found), expected, strict=True)
    assert found.flags.f_contiguous == expected.flags.f_contiguous


@pytest.mark.parametrize("name", ["take", "repeat", "compress"])
@pytest.mark.parametrize("axis", [True, False, numpy.True_, 1, -1, numpy.int64(0), 1.0, 2, None])
@pytest.mark.parametrize("shape", [(2, 2), (4,), ()])
def test_a_bool_is_no_axis(name: str, axis: Any, shape: tuple[int, ...]) -> None:
    def result(m: Any, by_method: bool) -> Any:
        array = m.ones(shape) * 3
        which: Any = {"take": [0], "repeat": 2, "compress": [True]}[name]
        try:
            if by_method:
                return getattr(array, name)(which, axis=axis).tolist()
            if name == "compress":
                return m.compress(which, array, axis=axis).tolist()
            return getattr(m, name)(array, which, axis=axis).tolist()
        except Exception as error:
            return TypeError if isinstance(error, TypeError) else ValueError

    for by_method in (False, True):
        assert result(hassium, by_method) == result(numpy, by_method)


def test_index_arrays_of_all_axes_at_most() -> None:
    for m in (hassium, numpy):
        array, positions = m.ones((1,) * 64), m.zeros(1, int)
        assert array[(positions,) * 63].shape == (1, 1)
        with pytest.raises(IndexError, match="cannot be above 63, but 64"):
            array[(positions,) * 64]
        with pytest.raises(IndexError, match="cannot be above 63, but 64"):
            array[(positions,) * 64] = 2


@pytest.mark.parametrize(
    "key", [[0, 1], [[0, 1], [1, 0]], (None, [0]), ([0, 1], slice(None)), [-1]]
)
@pytest.mark.parametrize(
    "values", [[numpy.nan, 1, 2], [1.5, -2.5, 3], [1e300, 1, 2], [1j, 1, 2], [70000, 1, 2]]
)
@pytest.mark.parametrize("dtype", ["i1", "i8", "f2", "f4", "c8"])
def test_warnings_of_values_at_positions(key: Any, values: Any, dtype: str) -> None:
    def run(m: Any) -> Any:
        array = m.zeros((2, 3), dtype)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            array[key] = m.array(values)
            found = repr(array.tolist())  # nan is no equal of itself
        return found, {warning.category for warning in caught}

    assert run(hassium) == run(numpy)


class Numbered:
    """An integer that has elements as well, as arrays of other libraries without axes."""

    def __index__(self) -> int:
        return 3

    def __len__(self) -> int:
        return 1

    def __getitem__(self, at: int) -> int:
        if at:
            raise IndexError
        return 5


class Unnumbered(Numbered):
    def __index__(self) -> int:
        raise TypeError("only arrays without axes are integers")


@pytest.mark.parametrize("make", [Numbered, Unnumbered])
def test_what_is_an_integer_is_no_sequence(make: Any) -> None:
    for case in (
        lambda np: np.arange(10)[make()],
        lambda np: np.arange(20).reshape(10, 2)[make(), 1],
        lambda np: np.arange(20).reshape(10, 2)[make()],
    ):
        agree(lambda case=case: case(numpy), lambda case=case: case(hassium))
    for np in (numpy, hassium):
        a = np.arange(10)
        a[make()] = 77
        assert numpy.flatnonzero(numpy.asarray(a) == 77).tolist() == [5 - 2 * (make is Numbered)]


@pytest.mark.parametrize("key", [(slice(0.5, None), 0.5), (slice("a"), "x"), (slice("a"),) * 3])
def test_invalid_items_are_reported_before_invalid_bounds(key: Any) -> None:
    with pytest.raises(IndexError) as expected:
        values((2, 3))[key]
    with pytest.raises(IndexError) as found:
        _core.array(values((2, 3)))[key]
    assert str(found.value) == str(expected.value)
