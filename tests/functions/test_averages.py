"""`average`, `cov` and `corrcoef`: NumPy's arguments, warnings and errors, without a fallback."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

Code = Callable[[Any, Any], Any]
CODES: list[Code] = [
    lambda xp, x: xp.average(x),
    lambda xp, x: xp.average(x, returned=True),
    lambda xp, x: xp.average(x, axis=0, returned=True),
    lambda xp, x: xp.average(x, axis=-1, keepdims=True, returned=True),
    lambda xp, x: xp.average(x, weights=xp.abs(x) + 1, returned=True),
    lambda xp, x: xp.average(x, axis=0, weights=xp.abs(x) + 1, keepdims=True, returned=True),
    lambda xp, x: xp.average(x, axis=0, weights=list(range(1, x.shape[0] + 1)), returned=True),
    lambda xp, x: xp.average(x, axis=-1, weights=xp.arange(x.shape[-1]) + 1.5),
    lambda xp, x: xp.average(x, axis=(1, 0), weights=xp.abs(x.T) + 1, returned=True),
    lambda xp, x: xp.average(x, axis=(0, 1), weights=xp.abs(x) + 1),
    lambda xp, x: xp.average(x, weights=xp.zeros(x.shape)),
    lambda xp, x: xp.average(x, weights=[1, 2]),
    lambda xp, x: xp.average(x, axis=0, weights=[1, 2]),
    lambda xp, x: xp.average(x, axis=(0, 0)),
    lambda xp, x: xp.average(x, axis=7),
    lambda xp, x: xp.cov(x),
    lambda xp, x: xp.cov(x, rowvar=False),
    lambda xp, x: xp.cov(x, bias=True),
    lambda xp, x: xp.cov(x, ddof=2),
    lambda xp, x: xp.cov(x, ddof=0.5),
    lambda xp, x: xp.cov(x, ddof=100),
    lambda xp, x: xp.cov(x, x * x + 1),
    lambda xp, x: xp.cov(x, x * x + 1, rowvar=False),
    lambda xp, x: xp.cov(x, x[0]),
    lambda xp, x: xp.cov(x, x[:, 0], False),
    lambda xp, x: xp.cov(x, dtype="f4"),
    lambda xp, x: xp.cov(x, aweights=xp.arange(x.shape[-1]) + 1.0),
    lambda xp, x: xp.cov(x, fweights=[1] * x.shape[-1]),
    lambda xp, x: xp.corrcoef(x),
    lambda xp, x: xp.corrcoef(x, rowvar=False),
    lambda xp, x: xp.corrcoef(x, x[::-1] * x),
    lambda xp, x: xp.corrcoef(x, dtype="f4"),
]


def outcome(code: Code, xp: Any, x: Any) -> Any:
    """The arrays of the result and what was warned of, or the type of the error."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            found = code(xp, x)
            parts = found if isinstance(found, tuple) else (found,)
            arrays = [numpy.asarray(part) for part in parts]
        except Exception as error:
            return type(error)
    return arrays, {str(w.message) for w in caught if w.category is RuntimeWarning}


@pytest.mark.parametrize("shape", [(), (1,), (0,), (9,), (3, 4), (1, 5), (0, 3), (3, 0), (5, 200)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?", "c16", "c8"])
@pytest.mark.parametrize("code", CODES, ids=range(len(CODES)))
def test_as_numpy(code: Code, dtype: str, shape: tuple[int, ...]) -> None:
    draw = numpy.random.default_rng(2)
    x = numpy.asarray(
        draw.normal(size=shape) * 2 + (1j * draw.random(shape) if "c" in dtype else 5)
    )
    x = x.astype(dtype)
    expected, found = outcome(code, numpy, x), outcome(code, np, np.array(x))
    if isinstance(expected, type):
        assert isinstance(found, type), found
        assert issubclass(found, expected)
        return
    assert not isinstance(found, type), found
    assert found[1] == expected[1]
    for ours, wanted in zip(found[0], expected[0], strict=True):
        assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
        # NumPy adds float16 in float16.
        close = {"f2": 3e-2, "f8": 1e-10}.get(dtype, 2e-4)
        if wanted.dtype.char in "fF":
            close = max(close, 2e-4)
        numpy.testing.assert_allclose(ours, wanted, rtol=close, atol=close)


def test_masked_arrays_and_lists() -> None:
    masked = numpy.ma.masked_array([1.0, 2.0, 30.0], [False, False, True])
    assert float(np.average(masked)) == 1.5
    assert float(np.average([1, 2, 3], weights=[1, 0, 1])) == 2.0
    assert float(np.cov([1.0, 2.0, 3.0])) == 1.0
    assert (
        np.corrcoef([[1, 2, 3], [3, 2, 1]]).tolist()
        == numpy.corrcoef([[1, 2, 3], [3, 2, 1]]).tolist()
    )


def test_nothing_falls_back_and_all_is_fused() -> None:
    x, w = np.arange(200_000.0), np.ones(200_000)
    np.flush()
    np.reset_stats()
    assert float(np.average(x * 2.0, weights=w + 1.0)) == 199_999.0
    rows = np.stack([x, x * x, w * x + 1])
    covariances = np.cov(rows)
    assert bool(np.all(covariances == covariances.T))
    assert abs(float(np.corrcoef(rows)[0, 2]) - 1.0) < 1e-12
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 2


@pytest.mark.parametrize("kind", [object, "O"])
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_averages_made_of_objects(name: str, kind: Any) -> None:
    def found(m: Any) -> list[Any]:
        results = [getattr(m, name)(x, dtype=kind) for x in (m.array(3.0), m.arange(3.0))]
        results.append(getattr(m.arange(4), name)(dtype=kind))
        if name != "std":
            results.append(getattr(m, name)(m.arange(4.0).reshape(2, 2), 0, kind))
        return [(isinstance(x, m.ndarray), x.tolist(), str(x.dtype)) for x in results]

    assert found(np) == found(numpy)
