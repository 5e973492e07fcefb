"""Writing to views whose elements share memory, which only strides set by hand can make.

Assignments give what NumPy gives. What a reduction leaves there depends on the order in which NumPy
walks, and is not compared; but it must neither fail nor spoil what is recorded after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from hassium import debug

STRIDES = [(0, 8), (8, 0), (8, 8), (16, 8), (8, 16), (0, 0)]
LAYOUTS: list[dict[str, Any]] = [{}, {"eager_elements": 0}, {"executor": "reference"}]


def add_in_place(np: Any, v: Any, x: Any) -> None:
    v += 1


def assign(np: Any, v: Any, x: Any) -> None:
    v[...] = x


def add_an_array(np: Any, v: Any, x: Any) -> None:
    np.add(x, v, out=v)


def assign_part(np: Any, v: Any, x: Any) -> None:
    v[1:, ::-1] = x[1:] * 2


def copy_some(np: Any, v: Any, x: Any) -> None:
    np.copyto(v, x * 2, where=x % 3 == 0)


def put_rows(np: Any, v: Any, x: Any) -> None:
    v[[0, 2]] = 7


WRITES = [add_in_place, assign, add_an_array, assign_part, copy_some, put_rows]


def written(np: Any, strides: tuple[int, int], write: Callable[..., None]) -> Any:
    v = np.array(numpy.arange(24.0).reshape(3, 8))
    v.strides = strides
    write(np, v, np.array(numpy.arange(24.0).reshape(3, 8) * 5 + 1))
    return numpy.array(v)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("strides", STRIDES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_what_is_written_is_what_numpy_writes(
    layout: dict[str, Any], strides: tuple[int, int], write: Callable[..., None]
) -> None:
    with hassium.config(**layout):
        found = written(hassium, strides, write)
    numpy.testing.assert_array_equal(found, written(numpy, strides, write))


def test_a_reduction_into_one_does_no_harm() -> None:
    with hassium.config(eager_elements=0):
        x = hassium.arange(48.0).reshape(2, 3, 8)
        v = hassium.zeros((3, 8))
        v.strides = (0, 8)
        hassium.add.reduce(x, axis=0, out=v)
        hassium.flush()
        assert float(v[0, 0]) in {float(value) for value in x.sum(axis=0)[:, 0]}
        assert float((v * 0 + 1).sum()) == 24


@pytest.mark.parametrize(
    "line",
    [
        "copy a[0+(8:0)] 2",
        "copy a[0+(3:1,3:1)] 2",
        "add.reduce axis=0 a[0+(8:0)] b[0+(3:8,8:1)]",
        "take axis=0 a[0+(8:0)] b i",
    ],
)
def test_a_text_with_such_an_output_is_no_program(line: str) -> None:
    text = f"base a float64 24 input\nbase b float64 24 input\nbase i int64 8 input\n{line}\n"
    for executor in ("tile", "reference"):
        with pytest.raises(ValueError, match="line 4: an output holds an element twice"):
            debug.run(text, executor=executor)
