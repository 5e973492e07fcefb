"""Gradients, polynomials, trapezoids and angles: NumPy's bits, and no fallback."""

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


@pytest.mark.parametrize("shape", [(), (1,), (2,), (9,), (3, 4), (2, 3, 5), (40, 60)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "c16", "f2"])
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
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 8
