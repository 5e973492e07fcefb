"""Calls that take a short way on few elements: results, errors and layouts are NumPy's."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from array_pairs import NATIVE, is_ours, layouts, plain

SHAPES = [(), (0,), (1,), (7,), (0, 3), (1, 5), (4, 6), (9, 2), (2, 3, 4), (3, 1, 2)]
INDEX = numpy.array([1, 0, -1, 1])
SORTS = ["?", "b", "H", "i", "l", "e", "f", "d", "F", "D"]


def outcome(call: Callable[[], Any]) -> Any:
    """The result, or the type of the exception, with the categories of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
            np.flush()
        except Exception as error:
            result = type(error)
    return result, sorted({str(w.category) for w in caught})


def assert_same(theirs: Callable[[], Any], ours: Callable[[], Any], strides: bool = False) -> None:
    wanted, wanted_warnings = outcome(theirs)
    found, found_warnings = outcome(ours)
    if isinstance(wanted, type):
        assert isinstance(found, type)
        assert issubclass(found, wanted)
        return
    assert not isinstance(found, type), found
    if is_ours(found):
        found = plain(found)
    assert found_warnings == wanted_warnings
    assert type(found) is type(wanted)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    numpy.testing.assert_array_equal(found, wanted)
    if strides:
        assert found.strides == wanted.strides


def each_layout(code: str) -> Any:
    for shape in SHAPES:
        for name, pair in layouts(shape, code).items():
            yield shape, name, *pair


@pytest.mark.parametrize("code", SORTS)
def test_take(code: str) -> None:
    indices = [INDEX, INDEX.reshape(2, 2), INDEX[:0], INDEX.astype("i4"), 1, [0, 1], INDEX[::2]]
    for _shape, _name, theirs, ours in each_layout(code):
        for index, axis in itertools.product(indices, (None, 0, 1, -1, 2)):
            own = np.array(index) if isinstance(index, numpy.ndarray) else index
            assert_same(lambda: theirs.take(index, axis), lambda: ours.take(own, axis))  # noqa: B023
            assert_same(
                lambda: numpy.take(theirs, index, axis=axis),  # noqa: B023
                lambda: np.take(ours, own, axis=axis),  # noqa: B023
            )


def test_take_sees_what_is_pending() -> None:
    x, index = np.arange(9.0) * 2.0, np.array([8, 0]) * 1
    assert x.take(index).tolist() == [16.0, 0.0]
    x += 1.0
    index -= 1
    assert numpy.asarray(x.take(index)).tolist() == [15.0, 17.0]


@pytest.mark.parametrize("code", SORTS)
def test_repeat(code: str) -> None:
    for _shape, _name, theirs, ours in each_layout(code):
        for times, axis in itertools.product((0, 1, 3, -1, True, 2.0), (None, 0, 1, -1, 5)):
            if times == -1 and theirs.size == 0:
                continue  # NumPy sees no count then
            assert_same(
                lambda: theirs.repeat(times, axis),  # noqa: B023
                lambda: ours.repeat(times, axis),  # noqa: B023
            )


@pytest.mark.parametrize("code", SORTS)
def test_positions_of_extremes(code: str) -> None:
    for _shape, _name, theirs, ours in each_layout(code):
        for axis, keep in itertools.product((None, 0, 1, -1, 2), (False, True)):
            for row in ("argmax", "argmin"):
                assert_same(
                    lambda: getattr(theirs, row)(axis, keepdims=keep),  # noqa: B023
                    lambda: getattr(ours, row)(axis, keepdims=keep),  # noqa: B023
                )


@pytest.mark.parametrize("code", ["f", "d", "e", "D"])
@pytest.mark.parametrize("shape", [(5,), (3, 8), (8, 3), (2, 4, 5)])
def test_the_first_nan_is_the_extreme(code: str, shape: tuple[int, ...]) -> None:
    size = int(numpy.prod(shape))
    for at in ([0], [size - 1], [size // 2, size - 1], list(range(size))):
        theirs = (numpy.arange(size) % 5).astype(code)
        theirs[at] = numpy.nan
        theirs = theirs.reshape(shape)
        ours = np.array(theirs)
        for axis in (None, *range(len(shape))):
            assert plain(ours.argmax(axis)).tolist() == theirs.argmax(axis).tolist()
            assert plain(ours.argmin(axis)).tolist() == theirs.argmin(axis).tolist()


@pytest.mark.parametrize("code", SORTS)
@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
def test_like(code: str, name: str) -> None:
    for _shape, _layout, theirs, ours in each_layout(code):
        for order, dtype in itertools.product("KCFA", (None, "f4", int)):
            assert_same(
                lambda: getattr(numpy, name)(theirs, dtype, order),  # noqa: B023
                lambda: getattr(np, name)(ours, dtype=dtype, order=order),  # noqa: B023
                strides=min(theirs.shape, default=1) > 1,
            )


@pytest.mark.parametrize("order", "KCFA")
def test_like_of_another_shape(order: str) -> None:
    models = [
        numpy.ones((3, 4, 5)),
        numpy.ones((3, 4)),
        numpy.ones(6),
        numpy.ones((2, 3), order="F"),
    ]
    models += [models[0].transpose(p) for p in itertools.permutations(range(3))]
    models += [m[..., ::2] for m in models] + [numpy.broadcast_to(models[2], (4, 6))]
    for model, shape in itertools.product(models, (None, 4, (), (2, 3), (4, 2, 3), (0, 2))):
        if model.strides[0] == 0 and shape is not None:
            continue  # what a stride of nothing says of another shape is not told
        wanted = numpy.empty_like(model, order=order, shape=shape)
        found = np.empty_like(np.asarray(model, copy=False), order=order, shape=shape)
        assert found.shape == wanted.shape
        if wanted.size > 1:
            assert found.strides == wanted.strides


def test_like_refuses_what_numpy_refuses() -> None:
    x = np.ones(3)
    for call in (
        lambda m, a: m.empty_like(),
        lambda m, a: m.zeros_like(a, order="Q"),
        lambda m, a: m.ones_like(a, "no dtype"),
        lambda m, a: m.empty_like(a, shape=(-1,)),
        lambda m, a: m.empty_like(a, device="gpu"),
        lambda m, a: m.empty_like(a, wrong=1),
        lambda m, a: m.zeros_like([1, 2], dtype=object),
        lambda m, a: m.zeros_like([1, 2.5]),
        lambda m, a: m.ones_like(prototype=a),
        lambda m, a: m.ones_like(a=a, subok=False),
    ):
        assert_same(lambda: call(numpy, numpy.ones(3)), lambda: call(np, x))  # noqa: B023


@pytest.mark.parametrize("ends", [(0, 1), (1.5, -2), (3, 3), (-1e308, 1e308), (0, 5e-324),
                                  (0.0, float("inf")), (float("nan"), 1), (2**60, 2**61), (True, 3),
                                  (1j, 2)])  # fmt: skip
@pytest.mark.parametrize("num", [0, 1, 2, 5, 50])
def test_linspace(ends: Any, num: int) -> None:
    for endpoint, dtype in itertools.product((True, False), (None, "f4", int, complex)):
        assert_same(
            lambda: numpy.linspace(*ends, num, endpoint=endpoint, dtype=dtype),  # noqa: B023
            lambda: np.linspace(*ends, num, endpoint=endpoint, dtype=dtype),  # noqa: B023
        )


@pytest.mark.parametrize("code", SORTS)
def test_pad(code: str) -> None:
    widths: list[Any] = [0, 1, 2, (1, 2), ((1, 0),), -1, True, 1.0, [[1, 2], [0, 1]]]
    for _shape, _layout, theirs, ours in each_layout(code):
        for width, value in itertools.product(widths, (0, 1, 300, -1, 2.5, (1, 2))):
            if width == 0 and value not in (0, 1):
                continue  # NumPy refuses what it would not write
            assert_same(
                lambda: numpy.pad(theirs, width, constant_values=value),  # noqa: B023
                lambda: np.pad(ours, width, constant_values=value),  # noqa: B023
            )


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_at_least(name: str) -> None:
    for _shape, _layout, theirs, ours in each_layout("d"):
        assert_same(lambda: getattr(numpy, name)(theirs), lambda: getattr(np, name)(ours))  # noqa: B023
    assert [a.shape for a in getattr(np, name)(1.0, np.ones(2))] == [
        a.shape for a in getattr(numpy, name)(1.0, numpy.ones(2))
    ]
    assert getattr(np, name)() == ()


@pytest.mark.parametrize("to", SORTS)
@pytest.mark.parametrize("code", SORTS)
def test_copies_and_casts(code: str, to: str) -> None:
    for _shape, _layout, theirs, ours in each_layout(code):
        assert_same(lambda: theirs.astype(to), lambda: ours.astype(to))  # noqa: B023
        assert_same(lambda: theirs.T.astype(to, "C"), lambda: ours.T.astype(to, "C"))  # noqa: B023
        assert_same(lambda: theirs.copy("F"), lambda: ours.copy("F"))  # noqa: B023


def test_casts_tell_of_what_they_raise() -> None:
    for value, to in ((1e300, "f4"), (numpy.nan, "i4"), (1e300, "i8"), (70000.0, "e")):
        x = numpy.array([1.0, value, 2.0])
        assert_same(lambda: x.astype(to), lambda: np.array(x).astype(to))  # noqa: B023
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            np.array(x).astype(to)


@pytest.mark.parametrize("code", SORTS)
def test_broadcast_copies(code: str) -> None:
    for shape, to in (((3, 1), (3, 4)), ((4,), (3, 4)), ((1, 1), (5, 6)), ((2, 1, 3), (2, 4, 3))):
        theirs = (numpy.arange(numpy.prod(shape)) % 2).astype(code).reshape(shape)
        for turned in (False, True):
            a, b = numpy.zeros(to, code, order="F" if turned else "C"), np.zeros(to, code)
            b = np.asfortranarray(b) if turned else b
            a[...] = theirs
            b[...] = np.array(theirs)
            assert numpy.array_equal(b, a)
            a[..., ::2] = theirs[..., :1]
            b[..., ::2] = np.array(theirs)[..., :1]
            assert numpy.array_equal(b, a)


MASKED: dict[str, Callable[[Any, Any], None]] = {
    "number": lambda a, m: a.__setitem__(m, 1),
    "element": lambda a, m: a.__setitem__(m, a[(0,) * a.ndim] if a.size else 1),
    "row": lambda a, m: a.__setitem__(m, a[m]),
    "inverse": lambda a, m: a.__setitem__(~m, 0),
    "flat": lambda a, m: a.reshape(-1).__setitem__(m.reshape(-1), 1),
    "turned": lambda a, m: a.T.__setitem__(m.T, 1),
    "backwards": lambda a, m: a[::-1].__setitem__(m, 1) if a.ndim else None,
    "list": lambda a, m: a.__setitem__(m, [1]),
    "wrong": lambda a, m: a.__setitem__(m, [1, 0, 1, 1, 1]),
    "first axis": lambda a, m: a.__setitem__(m[..., 0] if a.ndim > 1 and a.size else m, 1),
    "complex": lambda a, m: a.__setitem__(m, 1j),
}


@pytest.mark.parametrize("step", MASKED)
@pytest.mark.parametrize("code", SORTS)
def test_assigning_under_a_mask(code: str, step: str) -> None:
    for shape, _layout, theirs, ours in each_layout(code):
        for chosen in (0.0, 0.4, 1.1):
            mask = numpy.random.default_rng(3).random(shape) < chosen
            mask = numpy.asarray(mask)
            for whole in (mask, numpy.asfortranarray(mask)):
                a, b = theirs.copy("K"), ours.copy("K")
                own = np.array(whole)

                def run(x: Any, m: Any) -> Any:
                    MASKED[step](x, m)
                    return x

                assert_same(lambda: run(a, whole), lambda: run(b, own))  # noqa: B023


def test_a_mask_that_is_the_target() -> None:
    for step in (lambda m: m.__setitem__(m, False), lambda m: m[::-1].__setitem__(m, True)):
        theirs = numpy.array([True, False, True, False, False, True, True])
        ours = np.array(theirs)
        step(theirs)
        step(ours)
        assert ours.tolist() == theirs.tolist()


def test_reading_under_a_mask_of_rows_apart() -> None:
    for code in SORTS:
        whole = (numpy.arange(9 * 8 * 3) % 120).astype(code).reshape(9, 8, 3)
        ours = np.array(whole)
        for view in (
            lambda a: a[:, 1:-1, 0],
            lambda a: a[1:-1, :, 1],
            lambda a: a[::2, ::3],
            lambda a: a[::-1, 2:5, 0],
            lambda a: a[:, ::-1, 0],
            lambda a: a[..., 0].T,
            lambda a: a[2:4],
            lambda a: a[:, 2:4, ::2],
            lambda a: a[:0, 1:3],
        ):
            part = view(whole)
            for chosen in (0.0, 0.3, 1.1):
                mask = numpy.random.default_rng(4).random(part.shape) < chosen
                assert_same(lambda: part[mask], lambda: view(ours)[np.array(mask)])  # noqa: B023


@pytest.mark.parametrize("code", SORTS)
def test_conjugates(code: str) -> None:
    for _shape, _layout, theirs, ours in each_layout(code):
        if theirs.dtype.kind == "c":
            theirs, ours = theirs * (1 + 2j), ours * (1 + 2j)
            theirs = numpy.asarray(theirs)
        assert_same(lambda: numpy.asarray(theirs.conj()), lambda: np.asarray(ours.conj()))  # noqa: B023
    x = np.array([1.0, 2.0])
    assert x.conj() is x
    assert x.conjugate() is x
    z, out = np.array([1j, 2.0]), np.empty(2, complex)
    assert z.conj(out) is out
    assert out.tolist() == [-1j, 2.0]
    with pytest.raises(TypeError):
        z.conj(no=1)


def test_copyto() -> None:
    for _shape, _layout, theirs, ours in each_layout("d"):
        for source in (theirs * 2, numpy.ones(7), numpy.ones((1, 1, 7)), theirs, numpy.ones(1)):
            own = np.array(source)

            def run(m: Any, to: Any, source: Any) -> Any:
                m.copyto(to, source)
                return to

            a, b = theirs.copy(), ours.copy()
            assert_same(lambda: run(numpy, a, numpy.asarray(source)), lambda: run(np, b, own))  # noqa: B023
    frozen = np.ones(3)
    frozen.flags.writeable = False
    np.copyto(frozen, frozen)
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(frozen, np.zeros(3))
    x = np.arange(6.0)
    np.copyto(x[1:], x[:-1])
    assert x.tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="casting"):
        np.copyto(np.ones(3), np.ones(3), casting="never")


def test_count_nonzero_is_numpys_number() -> None:
    assert type(np.count_nonzero(np.array([True, False]))) is type(
        numpy.count_nonzero(numpy.array([True, False]))
    )


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_backwards(dtype: Any) -> None:
    for n in (1, 3, 30, 300):
        a = (numpy.arange(n) % 100).astype(dtype)
        b = (numpy.arange(n) % 7).astype(dtype)
        x, y = np.array(a), np.array(b)
        assert numpy.array_equal(x[::-1] + y[::-1], a[::-1] + b[::-1])
        assert numpy.array_equal(x[::-1] + y, a[::-1] + b)
        assert numpy.array_equal(x[::-2] + y[::2], a[::-2] + b[::2])
        assert numpy.array_equal(np.maximum(x[::-1], 1), numpy.maximum(a[::-1], 1))
        x[::-1] += y[::-1]
        a[::-1] += b[::-1]
        assert numpy.array_equal(x, a)


def test_put_of_a_number() -> None:
    for dtype in ("d", "i", "B", "?"):
        for value in (1, 2.5, 300, -1, float("nan"), True, 1j):
            for index in (INDEX, INDEX[:0], INDEX.reshape(2, 2), INDEX + 5, INDEX.astype("u1")):
                theirs, ours = numpy.zeros(4, dtype), np.zeros(4, dtype)

                def run(m: Any, a: Any, i: Any, v: Any) -> Any:
                    m.put(a, i, v)
                    return a

                assert_same(
                    lambda: run(numpy, theirs, index, value),  # noqa: B023
                    lambda: run(np, ours, np.array(index), value),  # noqa: B023
                )


def test_positions_of_what_is_true() -> None:
    for shape in ((0,), (1,), (40,), (3, 5), (2, 0)):
        mask = numpy.random.default_rng(5).random(shape) < 0.5
        ours = np.array(mask)
        for view in (lambda a: a, lambda a: a[::-1], lambda a: a[::2], lambda a: a.T):
            wanted, found = numpy.nonzero(view(mask)), np.nonzero(view(ours))
            assert [a.tolist() for a in found] == [a.tolist() for a in wanted]
            assert [a.dtype for a in found] == [a.dtype for a in wanted]
    late = np.array([0.0, 1.0, 2.0]) * 2.0 > 1.0
    assert np.where(late)[0].tolist() == [1, 2]


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_counts(dtype: numpy.dtype) -> None:
    odd = [0, 1, -0.0, 5e-324, float("nan"), -1, 1j, -1j, complex(-0.0, -0.0), 256, 1 << 31]
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = numpy.array(odd).astype(dtype)
    for a in (few, few[:0], few[3], few[:10].reshape(2, 5), few[::-2], numpy.resize(few, 5000)):
        wanted, found = numpy.count_nonzero(a), np.count_nonzero(np.array(a))
        assert found == wanted
        assert type(found) is type(wanted) or a.size > 2048  # of many a lazy one
    assert np.count_nonzero(np.array(few) + 0) == numpy.count_nonzero(few + 0)
