"""`linalg.norm`: NumPy's orders, axes and errors, without a fallback where sums will do."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np

INF = numpy.inf
SHAPES: list[tuple[int, ...]] = [(), (7,), (0,), (3, 5), (4, 0), (2, 3, 4), (1, 300, 41)]


def values(shape: tuple[int, ...], dtype: str) -> Any:
    draw = numpy.random.default_rng(5)
    x = draw.normal(size=shape) * 4
    if numpy.dtype(dtype).kind == "c":
        x = x + 1j * draw.normal(size=shape)
    return numpy.asarray(x).astype(dtype)


def outcome(xp: Any, x: Any, arguments: dict[str, Any]) -> Any:
    try:
        return xp.linalg.norm(x, **arguments)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("ord", [None, 2, 1, 0, -1, 3, 2.5, INF, -INF, -2, "fro", "f", "nuc", "x"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0,), (0, 1), (1, 0), (-1, 0), (0, 0), (0, 1, 2), 9])
def test_orders_and_axes(ord: Any, axis: Any) -> None:
    for shape in SHAPES:
        for dtype in ("f8", "f4", "c16", "i4"):
            for keepdims in (False, True):
                x = values(shape, dtype)
                arguments = {"ord": ord, "axis": axis, "keepdims": keepdims}
                with numpy.errstate(all="ignore"):
                    expected = outcome(numpy, x, arguments)
                    found = outcome(np, np.array(x), arguments)
                    if isinstance(expected, type):
                        assert found is expected or issubclass(found, expected), arguments
                        continue
                    ours = numpy.asarray(found)
                assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape), arguments
                assert numpy.isscalar(found) == numpy.isscalar(expected), arguments
                close = 2e-6 if ours.dtype == numpy.float32 else 1e-13
                numpy.testing.assert_allclose(ours, expected, rtol=close, err_msg=str(arguments))


def test_a_norm_is_fused_with_what_it_is_of() -> None:
    x, y = np.ones(100_000), np.zeros(100_000)
    np.flush()
    np.reset_stats()
    assert float(np.linalg.norm(x - y)) == numpy.sqrt(100_000)
    assert float(numpy.linalg.norm(np.ones((30, 40)) - 3)) == 2 * numpy.sqrt(1200)
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 2
    assert float(np.linalg.norm(np.full(4, 3.0, "f2"))) == 6
    assert isinstance(np.linalg.LinAlgError(), ValueError)
    assert np.linalg.det(np.eye(3)) == 1.0
    assert set(dir(np.linalg)) >= set(numpy.linalg.__all__)


@pytest.mark.parametrize("ord", [None, 1])
def test_norms_of_objects(ord: Any) -> None:
    x = numpy.array([numpy.array([0, 1]), 0, 2], dtype=object)
    found, expected = (numpy.asarray(m.linalg.norm(x, ord=ord)) for m in (np, numpy))
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
