"""Reductions of small parts of an array run at the call, to the bits that they have in a block."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np

WINDOWS: dict[str, Any] = {
    "rows": lambda a: a[2:7, 3:9],
    "a row": lambda a: a[3, 1:9:2],
    "a column": lambda a: a[:, 4],
    "backwards": lambda a: a[::-1, 5:1:-1],
    "turned": lambda a: a[1:9, 2:5].T,
    "all turned": lambda a: a.T,
    "cube": lambda a: a.reshape(4, 6, 12)[1:3, 1:5, 2:11],
    "cube turned": lambda a: a.reshape(4, 6, 12)[1:3, 1:5, 2:11].transpose(1, 2, 0),
    "cube with ones": lambda a: a.reshape(4, 6, 1, 12)[1:3, 2:3, :, ::3],
    "one": lambda a: a[3:4, 3:4],
    "repeated": lambda a: a[:1].repeat(3, 0)[:, 1:4],
}
AXES: list[Any] = [None, 0, -1, (0, 1), (0, -1), ()]
NAMES = ["add", "multiply", "maximum", "minimum", "subtract", "logical_or", "bitwise_xor", "hypot"]


def table(dtype: str) -> Any:
    x = numpy.random.default_rng(3).normal(size=(24, 12)) * 2
    return x.astype(dtype)


def reduced(name: str, window: Any, axis: Any, few: int) -> tuple[Any, int]:
    """The result, and how many operations were recorded for it."""
    with np.config(eager_elements=few):
        a = np.asarray(window[0])
        part = window[1](a)
        np.flush()
        np.reset_stats()
        found = getattr(np, name).reduce(part, axis=axis)
        stats = np.stats()
        return numpy.array(found), stats["instructions"] - stats["eager_instructions"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128", "float16"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("window", WINDOWS)
def test_bits_are_those_of_a_block(window: str, name: str, dtype: str) -> None:
    x = table(dtype)
    for axis in AXES:
        case = (x, WINDOWS[window])
        try:
            usual = getattr(numpy, name).reduce(WINDOWS[window](x), axis=axis)
        except (TypeError, ValueError, numpy.exceptions.AxisError) as error:
            with pytest.raises(type(error)):
                reduced(name, case, axis, 1024)
            continue
        found, _ = reduced(name, case, axis, 1024)
        recorded, _ = reduced(name, case, axis, 0)
        assert found.dtype == usual.dtype
        assert found.shape == usual.shape
        assert found.tobytes() == recorded.tobytes(), axis
        near = 2e-2 if found.dtype == "float16" else 1e-4
        numpy.testing.assert_allclose(found, usual, rtol=near, atol=near)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions(name: str, window: str) -> None:
    x = numpy.round(table("float64"))
    for axis in (None, 0, -1):
        a = np.asarray(x)
        np.flush()
        found = numpy.array(getattr(np, name)(WINDOWS[window](a), axis=axis))
        assert (found == getattr(numpy, name)(WINDOWS[window](x), axis=axis)).all()


@pytest.mark.parametrize("window", WINDOWS)
def test_whole_windows_run_at_the_call(window: str) -> None:
    for name in ("add", "maximum"):
        _, recorded = reduced(name, (table("float64"), WINDOWS[window]), None, 1024)
        assert recorded == 0


def test_pooling_records_nothing() -> None:
    x = numpy.random.default_rng(4).normal(size=(30, 30, 2))
    a, found, expected = np.asarray(x), np.zeros((10, 10)), numpy.zeros((10, 10))
    np.flush()
    np.reset_stats()
    for i in range(10):
        for j in range(10):
            found[i, j] = a[3 * i : 3 * i + 3, 3 * j : 3 * j + 3, 1].max()
            expected[i, j] = x[3 * i : 3 * i + 3, 3 * j : 3 * j + 3, 1].max()
    stats = np.stats()
    assert stats["instructions"] == stats["eager_instructions"] > 0
    assert (numpy.array(found) == expected).all()
