"""Complex numbers that are cast to others: NumPy says that their imaginary parts are dropped."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np


def put(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


NAN = numpy.complex128(complex(numpy.nan, 2))
CASES: dict[str, Callable[[Any], Any]] = {
    "output": lambda m: m.add(m.ones(3), m.ones(3) * 1j, out=m.ones(3), casting="unsafe"),
    "output of ints": lambda m: m.exp(m.ones(3) * 1j, out=m.ones(3, "i4"), casting="unsafe"),
    "output of bools": lambda m: m.exp(m.ones(3) * 1j, out=m.ones(3, "?"), casting="unsafe"),
    "dtype": lambda m: m.add(m.ones(3) * 1j, m.ones(3), dtype="f8", casting="unsafe"),
    "dtype of ints": lambda m: m.add(m.ones(3) * 1j, m.ones(3), dtype="i8", casting="unsafe"),
    "dtype of a number": lambda m: m.add(m.ones(3), NAN, dtype="f8", casting="unsafe"),
    "dtype of a weak number": lambda m: m.add(m.ones(3), 1j, dtype="f8", casting="unsafe"),
    "dtype of nan": lambda m: m.add(m.ones(3), numpy.nan, dtype="i4", casting="unsafe"),
    "what does not fit": lambda m: m.right_shift(m.ones(3, "u2"), -1, casting="unsafe"),
    "product": lambda m: m.matmul(
        m.ones((2, 2)) * 1j, m.ones((2, 2)), out=m.ones((2, 2)), casting="unsafe"
    ),
    "product's dtype": lambda m: m.matmul(
        m.ones((2, 2)) * 1j, m.ones((2, 2)), dtype="f8", casting="unsafe"
    ),
    "by a mask": lambda m: put(m.arange(3), m.arange(3) > 0, NAN),
    "by an index": lambda m: put(m.arange(3), [0, 1], NAN),
    "floats by a mask": lambda m: put(m.arange(3.0), m.arange(3) > 0, NAN),
    "bools by a mask": lambda m: put(m.ones(3, "?"), m.arange(3) > 0, NAN),
    "one element": lambda m: put(m.arange(3), 0, NAN),
    "complex by an index": lambda m: put(m.zeros(3, "f4"), [0, 1], m.array([1j, 2])),
    "complex by positions": lambda m: put(m.zeros((2, 3), int), (0, [0, 1]), m.array([1j, 2])),
}


def outcome(case: Callable[[Any], Any], module: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = numpy.asarray(case(module))
        except Exception as error:
            return type(error)
    return value.dtype, repr(value.tolist()), [(w.category, str(w.message)) for w in caught]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_dropped_parts_are_told(case: Callable[[Any], Any]) -> None:
    assert outcome(case, np) == outcome(case, numpy)
