"""Reading and writing by `flat`, against NumPy."""

from __future__ import annotations

import enum
import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome


class Position(enum.IntEnum):
    THIRD = 2


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "integers": lambda m: m.arange(6).reshape(2, 3),
    "columns first": lambda m: m.arange(6.0).reshape(2, 3).T,
    "apart": lambda m: m.arange(12, dtype="u1").reshape(2, 6)[:, ::2],
}
KEYS: dict[str, Callable[[Any], Any]] = {
    **{
        str(key): lambda m, key=key: key  # type: ignore[misc]
        for key in (
            0, -1, 5, 6, -7, True, np.True_, np.int8(2), Position.THIRD, 1.0, None, ..., (), (0,),
            (1, 1), slice(None), slice(1, 4), slice(4, 0, -2), slice(0, 100), [0, 1], [],
            [True, False], [0, True], [1.0], [None], [0, 100], [[0, 1], [2, 3]], ([0, 1],),
            (slice(1, 3),), "a", 2**70, range(2),
        )
    },
    "positions": lambda m: m.array([0, 1]),
    "one position": lambda m: m.array(1),
    "a mask": lambda m: m.array([True, False] * 3),
    "one bool": lambda m: m.array(True),
    "fractions": lambda m: m.array([0.0, 1.0]),
    "rows of positions": lambda m: m.array([[0, 1], [2, 3]]),
    "NumPy's positions": lambda m: np.array([0, 1]),
    "NumPy's mask": lambda m: np.array([True, False] * 3),
}  # fmt: skip
VALUES: dict[str, Callable[[Any], Any]] = {
    **{
        str(value): lambda m, value=value: value  # type: ignore[misc]
        for value in (7, -3, 300, 2**70, 7.5, np.inf, 1j, True, "a", [1, 2], [], np.int16(5))
    },
    "an array": lambda m: m.array([1, 2]),
    "a matrix": lambda m: m.arange(6).reshape(3, 2),
    "a lazy scalar": lambda m: m.arange(3).sum(),
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ARRAYS)
def test_read_as_numpy(name: str, key: str) -> None:
    ours, theirs = (case_outcome(lambda m: ARRAYS[name](m).flat[KEYS[key](m)], m) for m in (hs, np))
    assert ours == theirs


@functools.cache
def crashes(statement: str) -> bool:
    """Whether the statement ends a process of NumPy alone by a signal."""
    code = f"import numpy as np; {statement}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode < 0


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ARRAYS)
def test_written_as_numpy(name: str, key: str) -> None:
    if key == "()" and crashes("np.arange(6).flat[()] = 7"):
        pytest.skip("this NumPy crashes when flat[()] is written")

    def written(m: Any, value: Callable[[Any], Any]) -> Any:
        array = ARRAYS[name](m)
        array.flat[KEYS[key](m)] = value(m)
        return array

    for label, value in VALUES.items():
        ours, theirs = (case_outcome(lambda m, v=value: written(m, v), m) for m in (hs, np))
        assert ours == theirs, label


def test_an_access_by_index_starts_the_iterator_again() -> None:
    for m in (hs, np):
        flat = m.arange(4).flat
        assert (next(flat), next(flat)) == (0, 1)
        assert flat[3] == 3
        assert next(flat) == 0
        flat[1] = 7
        assert list(flat) == [0, 7, 2, 3]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8", "f4", "f8", "F", "?"])
def test_numbers_that_fit_need_no_iterator_of_numpys(dtype: str) -> None:
    def eager() -> int:
        return sum(row["count"] for row in hs.stats()["eager"].values())

    array, before = hs.zeros(6, dtype), eager()
    for position, value in enumerate((0, 1, 100, 127)):
        array.flat[position] = value
    assert eager() == before
    assert array.tolist() == np.array([0, 1, 100, 127, 0, 0]).astype(dtype).tolist()


BOUNDS = [-(2**63) - 1, -(2**63), -(2**31), -32769, -129, -128, -1, 127, 128, 255, 256, 2**16]


@pytest.mark.parametrize("value", [*BOUNDS, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64])
def test_integers_at_the_bounds(value: int) -> None:
    def written(m: Any, dtype: str) -> Any:
        array = m.zeros(2, dtype)
        array.flat[1] = value
        return array

    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "e", "f", "d", "D"):
        ours, theirs = (case_outcome(lambda m, d=dtype: written(m, d), m) for m in (hs, np))
        assert ours == theirs, dtype


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "put": lambda m, a: m.put(a, [0, 1, 99, 2], [7.0, 8.0, 9.0]),
    "put of a number": lambda m, a: m.put(a, m.array([3, -1, -99, 2]), 5.0),
    "the method": lambda m, a: a.put([0, 1, 99, 2], 5),
    "put of nothing before": lambda m, a: m.put(a, [99, 0], 5),
    "put into columns": lambda m, a: m.put(a.reshape(2, 3).T, [0, 1, 99], [7.0, 8.0]),
    "flat": lambda m, a: a.flat.__setitem__([0, 1, 99, 2], 7),
    "flat of an array": lambda m, a: a.flat.__setitem__(m.array([4, 99]), 7.0),
    "an index": lambda m, a: a.__setitem__([0, 1, 99, 2], 7.0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_is_written_before_an_index_out_of_bounds(write: Callable[[Any, Any], Any]) -> None:
    def written(m: Any) -> Any:
        array = m.arange(6.0)
        with pytest.raises(IndexError):
            write(m, array)
        return array.tolist()

    assert written(hs) == written(np)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("writeable", [True, False])
def test_a_copy_by_the_protocol_is_read_only(name: str, writeable: bool) -> None:
    def flags(m: Any) -> Any:
        array = ARRAYS[name](m)
        array.flags.writeable = writeable
        made = array.flat.__array__()
        return made.tolist(), made.flags.writeable, m.shares_memory(made, array)

    assert flags(hs) == flags(np)
