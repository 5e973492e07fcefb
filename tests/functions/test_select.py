"""`select`: NumPy's values, dtypes, shapes and errors, recorded choice by choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

Code = Callable[[Any, Any], Any]
CODES: list[Code] = [
    lambda xp, x: xp.select([x > 3, x < 1], [x, x * 2]),
    lambda xp, x: xp.select([x > 3, x < 9], [x, x * 2], 7),
    lambda xp, x: xp.select([x > 3, x < 1], [1, 2.5], x),
    lambda xp, x: xp.select([x > 3], [x], default=300),
    lambda xp, x: xp.select([x > 3], [300], default=x),
    lambda xp, x: xp.select([x > 3], [1j], default=x),
    lambda xp, x: xp.select([x > 3], [1], default=2),
    lambda xp, x: xp.select([x > 3], [x], default=numpy.int64(2)),
    lambda xp, x: xp.select([x > 3, True], [xp.asarray([[1], [2]]), x]),
    lambda xp, x: xp.select([True, False], [1, 2]),
    lambda xp, x: xp.select([[True], [False]], [x, [5]]),
    lambda xp, x: xp.select([x], [x]),
    lambda xp, x: xp.select([x > 1], [x, x]),
    lambda xp, x: xp.select([], []),
    lambda xp, x: xp.select([x > 1], [xp.ones(17)]),
]


@pytest.mark.parametrize("shape", [(), (0,), (4,), (3, 4), (2, 2, 300)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1", "?", "c16"])
@pytest.mark.parametrize("code", CODES, ids=range(len(CODES)))
def test_as_numpy(code: Code, dtype: str, shape: tuple[int, ...]) -> None:
    x = (numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) % 11).astype(dtype)
    try:
        wanted = code(numpy, x)
    except Exception as error:
        with pytest.raises(type(error)):
            code(np, np.array(x))
        return
    found = numpy.asarray(code(np, np.array(x)))
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    numpy.testing.assert_array_equal(found, wanted)


def test_it_is_one_block() -> None:
    x = np.arange(100_000.0) - 5e4
    np.flush()
    np.reset_stats()
    total = float(np.select([x > 10.0, x < -10.0], [x * 2.0, -x], 1.0).sum())
    y = numpy.arange(100_000.0) - 5e4
    assert total == numpy.select([y > 10.0, y < -10.0], [y * 2.0, -y], 1.0).sum()
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 4


def test_the_result_lies_in_rows() -> None:
    """Of transposed choices too: `ravel("F")` is a copy of it, whose changes it does not see."""
    for m in (numpy, np):
        x = m.asarray(m.arange(12.0).reshape(3, 4)).T
        found = m.select([x > 5, x < 2], [x, x + 1], 7)
        assert found.strides == (24, 8)
        columns = found.ravel("F")
        columns += 100
        assert float(found.max()) == 11.0
