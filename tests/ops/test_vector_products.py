"""Vector, Kronecker and tensor products, powers, convolutions: NumPy's bits, no fallback."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

Code = Callable[[Any, Any], Any]
CROSSES: list[Code] = [
    lambda xp, x: xp.cross(x, x * x + 1),
    lambda xp, x: xp.cross(x, x[::-1], axis=0),
    lambda xp, x: xp.cross(x, [1, 2, 3]),
    lambda xp, x: xp.cross(x, [1.5, 2, 3], axisa=0, axisc=0),
    lambda xp, x: xp.cross(x, x[..., ::-1], axisc=-2),
    lambda xp, x: xp.cross(x, x[..., :2]),
    lambda xp, x: xp.cross(x, 3),
    lambda xp, x: xp.cross(x, x, axis=4),
    lambda xp, x: xp.cross(x, x, axisc=4),
    lambda xp, x: xp.linalg.cross(x, x * x + 1),
    lambda xp, x: xp.linalg.cross(x, x[::-1], axis=0),
    lambda xp, x: xp.linalg.cross(x[..., :2], x[..., :2]),
]
KRONS: list[Code] = [
    lambda xp, x: xp.kron(x, x),
    lambda xp, x: xp.kron(x, [1, -2]),
    lambda xp, x: xp.kron([[1.5, 2], [3, 4]], x),
    lambda xp, x: xp.kron(x.T, 2),
    lambda xp, x: xp.kron(2, x),
    lambda xp, x: xp.kron(x, x[None, ..., None]),
]
MATRICES: list[Code] = [
    lambda xp, x: xp.tensordot(x, x.T, 1),
    lambda xp, x: xp.tensordot(x, x),
    lambda xp, x: xp.tensordot(x, [1, 2], 0),
    lambda xp, x: xp.tensordot(x, x, ((0, -1), (0, 1))),
    lambda xp, x: xp.tensordot(x, x, (0, 0)),
    lambda xp, x: xp.tensordot(x, x, ((1, 0), (1, 0))),
    lambda xp, x: xp.tensordot(x, x, ((0, 0), (1, 0))),
    lambda xp, x: xp.tensordot(x, x, (0, 1)),
    lambda xp, x: xp.tensordot(x, x, (0, 9)),
    lambda xp, x: xp.linalg.tensordot(x, x.T, axes=1),
    lambda xp, x: xp.linalg.trace(x, offset=1),
    lambda xp, x: xp.linalg.diagonal(x),
    lambda xp, x: xp.linalg.matmul(x, x.T),
    lambda xp, x: xp.linalg.outer(x, x),
    lambda xp, x: xp.linalg.outer(x.ravel()[:9], [1, 2]),
    lambda xp, x: xp.multiply.outer(5, x),
    lambda xp, x: xp.add.outer(x, 2.5),
    lambda xp, x: xp.subtract.outer(3, True),
    lambda xp, x: xp.linalg.matrix_norm(x),
]
VANDERS: list[Code] = [
    lambda xp, x: xp.vander(x.ravel()),
    lambda xp, x: xp.vander(x),
    lambda xp, x: xp.vander(x.ravel(), 3),
    lambda xp, x: xp.vander(x.ravel(), 4, True),
    lambda xp, x: xp.vander(x.ravel(), 9, increasing=True),
    lambda xp, x: xp.vander(x.ravel(), 0),
    lambda xp, x: xp.vander(x.ravel(), 1),
    lambda xp, x: xp.vander(x.ravel(), -1),
]
SHAPES = [(), (3,), (1, 3), (0, 3), (3, 3), (2, 4, 3), (3, 3, 3), (60, 3), (400, 3)]


def outcome(code: Code, xp: Any, x: Any) -> Any:
    """The result and what was warned of, or the type of the error."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            found = numpy.asarray(code(xp, x))
        except Exception as error:
            return type(error)
    return found, {w.category for w in caught}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?", "c16"])
@pytest.mark.parametrize("code", CROSSES + KRONS + VANDERS + MATRICES)
def test_as_numpy(code: Code, dtype: str, shape: tuple[int, ...]) -> None:
    if numpy.prod(shape) > 200 and code in (KRONS[0], KRONS[5], VANDERS[0]):
        shape = (20, 3)
    draw = numpy.random.default_rng(2)
    x = numpy.asarray(draw.normal(size=shape) * 2 + (1j if dtype == "c16" else 1))
    x = (abs(x) if dtype == "u1" else x).astype(dtype)
    expected, found = outcome(code, numpy, x), outcome(code, np, np.array(x))
    if isinstance(expected, type):
        assert isinstance(found, type), found
        assert issubclass(found, expected)
        return
    assert not isinstance(found, type), found
    assert found[1] == expected[1]
    (ours, wanted) = found[0], expected[0]
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    if code in MATRICES and wanted.dtype.kind in "fc":
        close = {"f4": 1e-5, "f2": 3e-2}.get(dtype, 1e-12)
        numpy.testing.assert_allclose(
            ours, wanted, rtol=close, atol=close * abs(wanted).max(initial=1)
        )
    elif dtype == "c16":
        numpy.testing.assert_allclose(ours, wanted, rtol=1e-12, atol=1e-12)
    else:
        numpy.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize("dtype", ["u1", "i8"])
def test_cross_of_two_vectors_of_integers_wraps_silently(dtype: str) -> None:
    most = numpy.iinfo(dtype).max
    x, y = numpy.array([3, 4, most], dtype), numpy.array([most, 5, 4], dtype)
    for cross in (np.cross, np.linalg.cross):
        found = cross(np.array(x), np.array(y))  # a warning is an error
        assert found.tolist() == numpy.cross(x, y).tolist()


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "i1", "u2", "?", "c16"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions(name: str, dtype: str) -> None:
    draw = numpy.random.default_rng(2)
    for n, m in itertools.product((1, 9, 2_500, 40_000), (1, 2, 5, 11, 12, 20, 33)):
        a, v = ((draw.normal(size=k) * 5).astype(dtype) for k in (n, m))
        for mode in ("full", "same", "valid"):
            for left, right in ((a, v), (v, a)):
                wanted = getattr(numpy, name)(left, right, mode)
                found = numpy.asarray(getattr(np, name)(np.array(left), np.array(right), mode))
                assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
                # Where kernels stick out, and where they are long, NumPy's sums are those of BLAS.
                if dtype[0] in "iu?" or (dtype != "c16" and m < 12 and mode == "valid"):
                    numpy.testing.assert_array_equal(found, wanted)
                    assert (numpy.signbit(found) == numpy.signbit(wanted)).all()
                else:
                    close = 1e-4 if dtype == "f4" else 1e-2 if dtype == "f2" else 1e-12
                    numpy.testing.assert_allclose(found, wanted, rtol=close, atol=close)


def test_convolutions_of_special_values_and_mistakes() -> None:
    x = numpy.zeros(50_000)
    x[[0, 7, -1]] = numpy.inf, numpy.nan, -numpy.inf
    v = numpy.array([-0.0, numpy.inf, -1.0])
    with numpy.errstate(invalid="ignore"):
        for mode in ("full", "same", "valid"):
            wanted, found = numpy.convolve(x, v, mode), np.convolve(np.array(x), np.array(v), mode)
            numpy.testing.assert_array_equal(numpy.asarray(found), wanted)
    for given in (([], [1.0]), ([1.0], []), (numpy.ones((2, 2)), [1.0])):
        with pytest.raises(ValueError, match=r"empty|deep"):
            np.convolve(*given)
    assert np.convolve([1, 2, 3], 2).tolist() == [2, 4, 6]
    with pytest.raises((ValueError, DeprecationWarning), match="mode"):
        np.convolve(np.array(x), np.array(v), "some")


def test_nothing_falls_back_and_all_is_fused() -> None:
    x = np.arange(90_000.0).reshape(30_000, 3)
    np.flush()
    np.reset_stats()
    area = np.cross(x - 1.0, x + 1.0) * 2.0
    assert float(np.convolve(area[:, 0] * 2.0, [1.0, 2.0, 1.0], "same")[0]) == -24.0
    assert float(np.vander(x[:, 0] * 1e-3, 4)[-1, -1]) == 1.0
    assert float(np.kron(np.eye(3), np.ones((2, 2)) * 2.0).sum()) == 24.0
    assert float(numpy.correlate(x[:, 1] + 0.0, np.ones(20))[0]) == 590.0
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 5


@pytest.mark.parametrize("dtype", ["?", "i4", "i8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("other", ["i8", "f8", "c16"])
def test_vdot_of_vectors_as_numpys(dtype: str, other: str) -> None:
    """In C, where it is called on vectors; columns, vectors that run backward, none and one."""
    random = numpy.random.default_rng(5)
    for shape in ((0,), (1,), (17,), (300,), (40, 3), (1, 40)):
        a, b = (random.integers(-9, 9, shape) for _ in range(2))
        x = a.astype(dtype) * numpy.dtype(dtype).type(1j if dtype in "c8c16" else 1)
        y = b.astype(other)
        for lie in (lambda v: v, lambda v: v[::-1], lambda v: v[..., -1:].ravel()):
            expected = numpy.vdot(lie(x), lie(y))
            found = np.vdot(lie(np.array(x)), lie(np.array(y)))
            assert type(found) is type(expected)
            assert found == expected
    with pytest.raises(ValueError, match="cannot reshape array of size"):
        np.vdot(np.ones(3), np.ones(4))
