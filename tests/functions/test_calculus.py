"""Differences, gradients, polynomials, phases and running sums: NumPy's bits, and no fallback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

Code = Callable[[Any, Any], Any]
CODES: list[Code] = [
    lambda xp, x: xp.gradient(x),
    lambda xp, x: xp.gradient(x, 0.25, edge_order=2),
    lambda xp, x: xp.gradient(x, 2, axis=0),
    lambda xp, x: xp.gradient(x, axis=-1, edge_order=2),
    lambda xp, x: xp.gradient(x, *range(1, x.ndim + 1)),
    lambda xp, x: xp.gradient(x, axis=()),
    lambda xp, x: xp.gradient(x, axis=x.ndim),
    lambda xp, x: xp.gradient(x, edge_order=3),
    lambda xp, x: xp.gradient(x, xp.arange(x.shape[0]) ** 2.0, axis=0),
    lambda xp, x: xp.gradient(x, 1, 2, 3, 4),
    lambda xp, x: xp.polyval([3, -1.5, 2], x),
    lambda xp, x: xp.polyval(xp.asarray([3, -1, 2]), x),
    lambda xp, x: xp.polyval([], x),
    lambda xp, x: xp.polyval([1, 2], 3),
    lambda xp, x: xp.polyval(numpy.ones((2, 1)), x),
    lambda xp, x: xp.trapezoid(x),
    lambda xp, x: xp.trapezoid(x, dx=0.5, axis=0),
    lambda xp, x: xp.trapezoid(x, xp.arange(x.shape[-1]) ** 2),
    lambda xp, x: xp.trapezoid(x, x * x, axis=0),
    lambda xp, x: xp.trapezoid(x, axis=7),
    lambda xp, x: xp.diff(x),
    lambda xp, x: xp.diff(x, 2, axis=0),
    lambda xp, x: xp.diff(x, prepend=0),
    lambda xp, x: xp.diff(x, 2, 0, prepend=1.5, append=x[:1]),
    lambda xp, x: xp.diff(x, append=xp.asarray(x)),
    lambda xp, x: xp.diff(x, append=[1, 2, 3, 4, 5]),
    lambda xp, x: xp.diff(x, prepend=[1, 2]),
    lambda xp, x: xp.diff(x, n=-1),
    lambda xp, x: xp.diff(x, axis=5, prepend=3),
    lambda xp, x: xp.diff(x > 8, prepend=True),
    lambda xp, x: xp.ediff1d(x),
    lambda xp, x: xp.ediff1d(x, to_begin=7, to_end=[1, 2]),
    lambda xp, x: xp.ediff1d(x, to_end=2.5),
    lambda xp, x: xp.ediff1d(x, to_begin=x[:1], to_end=x),
    lambda xp, x: xp.ediff1d(x > 8),
    lambda xp, x: xp.unwrap(x),
    lambda xp, x: xp.unwrap(x * 3, axis=0),
    lambda xp, x: xp.unwrap(x, 4.0, period=5),
    lambda xp, x: xp.unwrap(x, period=4),
    lambda xp, x: xp.unwrap(x, period=3, discont=2),
    lambda xp, x: xp.unwrap(x, period=numpy.float32(2.5)),
    lambda xp, x: xp.unwrap(x, period=xp.asarray(2.5)),
    lambda xp, x: xp.unwrap(x, axis=3),
    lambda xp, x: xp.cumulative_sum(x),
    lambda xp, x: xp.cumulative_sum(x, axis=-1, include_initial=True),
    lambda xp, x: xp.cumulative_sum(x, axis=0, dtype="c16", include_initial=True),
    lambda xp, x: xp.cumulative_sum(x, axis=0, out=xp.zeros(x.shape or (1,), "c16")),
    lambda xp, x: xp.cumulative_prod(x, axis=0),
    lambda xp, x: xp.cumulative_prod(x / 9, axis=-1, include_initial=True),
    lambda xp, x: xp.cumulative_sum(x > 8, axis=-1, include_initial=True),
    lambda xp, x: xp.cumulative_sum(x, axis=4),
    lambda xp, x: xp.angle(x),
    lambda xp, x: xp.angle(x, deg=True),
    lambda xp, x: xp.angle(3 - 1j),
]


def outcome(code: Code, xp: Any, x: Any) -> Any:
    try:
        found = code(xp, x)
    except Exception as error:
        return type(error)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (9,), (3, 4), (2, 3, 5), (40, 60)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "c16", "f2", "?"])
@pytest.mark.parametrize("code", CODES, ids=range(len(CODES)))
def test_as_numpy(code: Code, dtype: str, shape: tuple[int, ...]) -> None:
    draw = numpy.random.default_rng(2)
    x = (draw.normal(size=shape) * 5 + (1j if dtype == "c16" else 9)).astype(dtype)
    with numpy.errstate(all="ignore"):
        expected = outcome(code, numpy, x)
        found = outcome(code, np, np.array(x))
        if isinstance(expected, type):
            assert found is expected or issubclass(found, expected)
            return
        assert not isinstance(found, type), found
        ours = [numpy.asarray(part) for part in found]
    assert len(ours) == len(expected)
    for mine, numpys in zip(ours, expected, strict=True):
        wanted = numpy.asarray(numpys)
        assert (mine.dtype, mine.shape) == (wanted.dtype, wanted.shape)
        # NumPy adds float16 in float16.
        close, least = {2: (2e-2, 2.0), 4: (2e-5, 2e-5)}.get(wanted.itemsize, (1e-11, 1e-11))
        numpy.testing.assert_allclose(mine, wanted, rtol=close, atol=least)


def test_nothing_falls_back_and_all_is_fused() -> None:
    x = np.arange(90_000.0).reshape(300, 300)
    np.flush()
    np.reset_stats()
    down, along = np.gradient(np.polyval([2.0, 1.0, 0.5], x), 0.5)
    assert float(np.trapezoid(np.angle(down + 1j * along).ravel())) > 0
    steps = np.diff(np.unwrap(x.ravel() * 2.0), prepend=0.0)
    assert float(np.cumulative_sum(np.ediff1d(steps) * 2.0, include_initial=True)[0]) == 0.0
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 8


def test_running_sums_into_out_behind_the_initial_one() -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    for name in ("cumulative_sum", "cumulative_prod"):
        wanted, found = numpy.empty((4, 4)), np.empty((4, 4))
        getattr(numpy, name)(x, axis=0, include_initial=True, out=wanted)
        assert getattr(np, name)(np.array(x), axis=0, include_initial=True, out=found) is found
        assert found.tolist() == wanted.tolist()


def test_half_a_period_keeps_its_sign() -> None:
    x = numpy.array([0, numpy.pi, 0, -numpy.pi, 2 * numpy.pi, 0.5, -7])
    assert np.unwrap(np.array(x)).tolist() == numpy.unwrap(x).tolist()
    whole = numpy.array([0, 2, 0, -2, 1, 3, 9])
    assert np.unwrap(np.array(whole), period=4).tolist() == numpy.unwrap(whole, period=4).tolist()


def test_masked_arrays_stay_masked() -> None:
    masked = numpy.ma.masked_array([1.0, 2.0, 30.0], [False, False, True])
    assert isinstance(np.diff(masked), numpy.ma.MaskedArray)
    assert isinstance(np.ediff1d(masked), numpy.ma.MaskedArray)
