"""Arrays interpolated along one axis after another, of numbers of points that no step divides, are
folded into what reads them."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np


def interpolated(xp: Any, x: Any, steps: tuple[int, ...], rest: int) -> Any:
    """Puts ``step - 1`` points between two along each axis, and ``rest`` behind the last."""
    for axis, step in enumerate(steps):
        x = xp.moveaxis(x, axis, 0)
        line = xp.empty((step * (x.shape[0] - 1) + 1 + rest, *x.shape[1:]), dtype=x.dtype)
        line[::step] = x
        for k in range(1, step):
            between = (step - k) * x[:-1] + k * x[1:]
            line[k::step][: len(between)] = between
            line[k::step][len(between) :] = x[-1:]
        x = xp.moveaxis(line, 0, axis)
    return x


@pytest.mark.parametrize("partitioner", ["auto", "singleton", "linear"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
@pytest.mark.parametrize(
    ("steps", "rest"),
    [((2,), 0), ((3,), 1), ((2, 2), 0), ((4, 2), 1), ((2, 2, 2), 0), ((3, 2, 2), 0)],
)
def test_the_same_bits(steps: tuple[int, ...], rest: int, dtype: str, partitioner: str) -> None:
    rng = numpy.random.default_rng(len(steps))
    for points in (2, 3, 6):
        x = rng.integers(-9, 9, (points, points + 1, points + 2)[: len(steps)]).astype(dtype)
        fine = interpolated(numpy, x, steps, rest)
        y = rng.integers(-9, 9, fine.shape).astype(dtype)
        with np.config(forward_copies="on", partitioner=partitioner, eager_elements=0, verify=True):
            sums = np.array(y)
            sums += interpolated(np, np.array(x), steps, rest)
            products = np.array(y) * interpolated(np, np.array(x), steps, rest)
            shifted = interpolated(np, np.array(x), steps, rest)[1:] + np.array(y)[:-1]
            np.flush()
        assert sums.tobytes() == (y + fine).tobytes()
        assert products.tobytes() == (y * fine).tobytes()
        assert shifted.tobytes() == (fine[1:] + y[:-1]).tobytes()


def test_a_correction_is_not_stored(cold_cache: None) -> None:
    coarse = np.array(numpy.random.default_rng(1).random((33, 33, 33)))
    fine = np.zeros((65, 65, 65))
    np.flush()
    np.reset_stats()
    fine += interpolated(np, coarse, (2, 2, 2), 0)
    np.flush()
    # Read and written once, and what is interpolated along one and two axes.
    assert np.stats()["bytes_moved"] <= 3.3 * fine.nbytes
    assert np.stats()["blocks"] <= 19


def test_elements_that_nothing_wrote_may_be_read() -> None:
    with np.config(forward_copies="on", eager_elements=0, verify=True):
        for points in (8, 9, 33):
            x, u = np.arange(float(points)), np.arange(2.0 * points - 1)
            fine = interpolated(np, x, (2,), 0)
            half = np.empty(2 * points - 1)
            half[::2] = u[::2] * 2
            total, unwritten, written = u + fine, half[1::2] * 1, half[::2] + 1
            del fine, half
            np.flush()
            expected = interpolated(numpy, numpy.arange(float(points)), (2,), 0)
            assert total.tolist() == (numpy.arange(2.0 * points - 1) + expected).tolist()
            assert unwritten.shape == (points - 1,)
            assert written.tolist() == [4.0 * k + 1 for k in range(points)]


def stencil(x: Any) -> Any:
    """Returns five times the inner points, less their neighbours along each axis."""
    inner = (slice(1, -1),) * x.ndim
    result = 5 * x[inner]
    for axis in range(x.ndim):
        for shift in (slice(2, None), slice(-2)):
            result = result - x[(*inner[:axis], shift, *inner[axis + 1 :])]
    return result


@pytest.mark.parametrize("dtype", ["f8", "i2", "c16"])
@pytest.mark.parametrize(("steps", "rest"), [((2,), 0), ((3,), 1), ((2, 2), 0), ((2, 3, 2), 1)])
def test_shifted_views_have_the_same_bits(steps: tuple[int, ...], rest: int, dtype: str) -> None:
    rng = numpy.random.default_rng(len(steps))
    for points in (3, 4, 6):
        x = rng.integers(-9, 9, (points, points + 1, points + 2)[: len(steps)]).astype(dtype)
        fine = interpolated(numpy, x, steps, rest)
        with np.config(forward_copies="on", eager_elements=0, verify=True):
            found = stencil(interpolated(np, np.array(x), steps, rest))
            differences = np.diff(interpolated(np, np.array(x), steps, rest), axis=0)
            np.flush()
        assert found.tobytes() == stencil(fine).tobytes()
        assert differences.tobytes() == numpy.diff(fine, axis=0).tobytes()


def test_an_array_read_through_shifted_views_is_not_stored(cold_cache: None) -> None:
    coarse = np.array(numpy.random.default_rng(1).random(100_001))
    np.flush()
    np.reset_stats()
    fine = interpolated(np, coarse, (2,), 0)
    slopes = fine[1:] - fine[:-1]
    del fine
    np.flush()
    # The coarse array is read and the slopes are written; one of the two grids passes the cache.
    assert np.stats()["bytes_moved"] <= slopes.nbytes + 3.1 * coarse.nbytes
