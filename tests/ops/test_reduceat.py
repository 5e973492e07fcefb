"""ufunc.reduceat: NumPy's segments and dtypes; sums are as accurate, all else is equal."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np

OPS = ["add", "subtract", "multiply", "maximum", "minimum", "logical_or", "bitwise_xor", "fmax"]
DTYPES = ["i1", "u2", "i4", "i8", "u8", "f4", "f8", "c16", "?", "f2"]
BEGINNINGS: list[Any] = [
    [0],
    [0, 4, 9],
    [3, 3, 2, 17, 0],
    numpy.arange(20)[::-1],
    numpy.array([1, 5, 19], "u1"),
    [],
]
BAD: list[Any] = [[0, 20], [-1], [[0, 1]], [0.5], [True]]


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    x = numpy.random.default_rng(len(shape)).normal(size=shape) * 3
    if dtype[0] == "c":
        return (x + 1j * x[::-1]).astype(dtype)
    return (x if dtype[0] == "f" else x.astype("i8")).astype(dtype)


def both(op: str, x: Any, *args: Any, **named: Any) -> None:
    own = np.array(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = getattr(numpy, op).reduceat(x, *args, **named)
        except Exception as failure:
            with pytest.raises(type(failure)):
                getattr(np, op).reduceat(own, *args, **named)
            return
        ours = getattr(np, op).reduceat(own, *args, **named)
    assert type(ours) is np.ndarray
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    if theirs.dtype.kind in "fc":
        near = 30 * float(numpy.finfo(theirs.dtype).eps)
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=near, atol=10 * near)
    else:
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_segments(op: str, dtype: str) -> None:
    for shape, at in itertools.product([(20,), (20, 3), (20, 1), (20, 40)], BEGINNINGS + BAD):
        both(op, draw(shape, dtype), at)
    for shape, axis in [((3, 20), 1), ((2, 20, 3), 1), ((2, 20, 3), -2), ((2, 3, 20), 2)]:
        for at in BEGINNINGS:
            both(op, draw(shape, dtype), at, axis)
    both(op, draw((20,), dtype), [0, 9], 1)
    both(op, draw((20,), dtype), [0, 9], 0, "f8")
    both(op, draw((20, 4), dtype).T, [0, 9], 1)
    both(op, draw((40,), dtype)[::2], [0, 9])
    both(op, draw((0, 3), dtype), [0])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "subtract"])
def test_long_segments(op: str, threads: int) -> None:
    r = numpy.random.default_rng(2)
    x = r.uniform(0.999, 1.001, 200_000)
    with np.config(threads=threads):
        for at in ([0, 7, 100_000], numpy.sort(r.integers(0, x.size, 500))):
            ours = getattr(np, op).reduceat(np.array(x) * 1.0, at)
            theirs = getattr(numpy, op).reduceat(x, at)
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-10)
        rows = x.reshape(1000, 200)
        ours = getattr(np, op).reduceat(np.array(rows), [0, 7, 600])
        theirs = getattr(numpy, op).reduceat(rows, [0, 7, 600])
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-10)


@pytest.mark.parametrize("shape", [(5000,), (700, 3), (3, 700)])
@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "subtract"])
def test_executors_agree(op: str, shape: tuple[int, ...]) -> None:
    x, axis = draw(shape, "f8") * 0.01, int(shape[0] < 10)
    found = []
    for executor in ("tile", "reference"):
        with np.config(executor=executor, eager_elements=0):
            result = getattr(np, op).reduceat(np.array(x) + 1.0, [5, 2, 9], axis)
            found.append(numpy.asarray(result))
    numpy.testing.assert_array_equal(found[0], found[1])


def test_negative_zeros() -> None:
    zeros = np.full(9, -0.0)
    assert numpy.signbit(numpy.asarray(np.add.reduceat(zeros, [0, 1, 1, 8]))).all()
    zeros[4] = 0.0
    assert not numpy.signbit(numpy.asarray(np.add.reduceat(zeros, [0]))).any()


def test_outputs_and_conditions() -> None:
    x = np.arange(12.0)
    out = np.zeros(2)
    assert np.add.reduceat(x, [0, 5], out=out) is out
    assert out.tolist() == [10.0, 56.0]
    narrow = np.zeros(2, "f4")
    np.add.reduceat(x, [0, 5], 0, None, narrow)
    assert narrow.tolist() == [10.0, 56.0]
    with pytest.raises(ValueError, match="broadcast"):
        np.add.reduceat(x, [0, 5], out=np.zeros(3))
    np.add.reduceat(x, [0, 5], out=x[:2])
    assert x.tolist() == [10.0, 56.0, *range(2, 12)]
    large = np.full(4, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduceat"):
        np.add.reduceat(large, [0]).tolist()


def test_indices_that_reshape_the_array() -> None:
    x = np.arange(12.0).reshape(3, 4)

    class Indices:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            x.shape = (12,)
            return numpy.array([0, 1])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = np.add.reduceat(x, Indices(), 1)
    assert result.shape in [(3, 2), (2,)]


def test_numpy_is_not_asked() -> None:
    np.reset_stats()
    np.add.reduceat(np.arange(50.0), np.array([0, 7, 30]))
    assert not np.stats()["fallbacks"]
