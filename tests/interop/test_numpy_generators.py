"""NumPy's own generators and ctypes helpers take our arrays where they take NumPy's."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy
import pytest

import hassium as np


def shuffled(of: Any, shuffle: Any, **how: Any) -> Any:
    a = of.arange(24).reshape(6, 4)
    shuffle(a, **how)
    return numpy.array(a)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", [{}, {"axis": 0}, {"axis": 1}])
def test_shuffle_of_a_generator(how: dict[str, int]) -> None:
    ours = shuffled(np, numpy.random.default_rng(3).shuffle, **how)
    numpy.testing.assert_array_equal(
        ours, shuffled(numpy, numpy.random.default_rng(3).shuffle, **how)
    )


@pytest.mark.filterwarnings("error")
def test_older_shuffles() -> None:
    expected = shuffled(numpy, numpy.random.RandomState(3).shuffle)
    numpy.testing.assert_array_equal(shuffled(np, numpy.random.RandomState(3).shuffle), expected)
    numpy.random.seed(3)
    numpy.testing.assert_array_equal(shuffled(np, numpy.random.shuffle), expected)


@pytest.mark.filterwarnings("error")
def test_permuted() -> None:
    a = np.arange(24).reshape(6, 4)
    found = numpy.random.default_rng(3).permuted(a, axis=1, out=a)
    assert found is a
    expected = numpy.arange(24).reshape(6, 4)
    numpy.random.default_rng(3).permuted(expected, axis=1, out=expected)
    numpy.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("draw", ["permutation", "choice"])
def test_draws_of_an_array(draw: str) -> None:
    found = getattr(numpy.random.default_rng(3), draw)(np.arange(9.0), *[4] * (draw == "choice"))
    expected = getattr(numpy.random.default_rng(3), draw)(
        numpy.arange(9.0), *[4] * (draw == "choice")
    )
    numpy.testing.assert_array_equal(found, expected)


def test_lists_of_arrays_are_shuffled_as_lists() -> None:
    rows = [np.arange(3) + k for k in range(5)]
    same = list(rows)
    numpy.random.default_rng(3).shuffle(rows)
    assert {id(row) for row in rows} == {id(row) for row in same}


def test_pointers() -> None:
    a = np.arange(4.0)
    for module in (numpy.ctypeslib, np.ctypeslib):
        kind = module.ndpointer(dtype=float, ndim=1, shape=(4,), flags="C_CONTIGUOUS")
        address = ctypes.cast(kind.from_param(a)._as_parameter_, ctypes.POINTER(ctypes.c_double))
        assert address[3] == 3.0
        with pytest.raises(TypeError, match="data type"):
            module.ndpointer(dtype=int).from_param(a)
        view = module.as_ctypes(a)
        view[0] = 7.0
        assert a[0] == 7.0
        assert numpy.asarray(module.as_array(view)).tolist() == [7.0, 1.0, 2.0, 3.0]
        a[0] = 0.0
