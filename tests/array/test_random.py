"""NumPy's random streams: the same numbers, as hassium arrays."""

from __future__ import annotations

import pickle
from typing import Any

import numpy
import pytest

import hassium as np

MANY = 1 << 18  # drawn into memory of the pool


@pytest.mark.parametrize("size", [None, 0, 3, (2, 3), (), MANY, (512, 512), numpy.int64(7)])
@pytest.mark.parametrize("dtype", ["float64", "float32", numpy.float32])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_draws_are_numpys(name: str, size: Any, dtype: Any) -> None:
    ours, theirs = np.random.default_rng(3), numpy.random.default_rng(3)
    for args, kwargs in [((size,), {"dtype": dtype}), ((size, dtype), {}), ((), {"size": size})]:
        result = getattr(ours, name)(*args, **kwargs)
        expected = getattr(theirs, name)(*args, **kwargs)
        assert numpy.array_equal(numpy.asarray(result), expected)
        assert numpy.asarray(result).dtype == numpy.asarray(expected).dtype
        if isinstance(expected, numpy.ndarray):
            assert isinstance(result, np.ndarray)


def test_many_draws_lie_in_the_pool_and_are_ordinary_arrays() -> None:
    generator = np.random.default_rng(5)
    held = np.stats()["bytes_held"]
    x = generator.random(MANY)
    assert np.stats()["bytes_held"] - held >= 8 * MANY
    x += 1.0
    expected = numpy.random.default_rng(5).random(MANY) + 1.0
    assert numpy.array_equal(numpy.asarray(x), expected)


def test_out_is_filled() -> None:
    target = np.zeros(MANY)
    assert np.random.default_rng(5).random(out=target) is target
    assert numpy.array_equal(numpy.asarray(target), numpy.random.default_rng(5).random(MANY))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((-1,), {}),
        (((MANY, -1),), {}),
        ((MANY,), {"dtype": "int64"}),
        ((MANY,), {"dtype": "no dtype"}),
        ((MANY,), {"order": "C"}),
        (("3",), {}),
    ],
)
def test_errors_are_numpys(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as theirs:
        numpy.random.default_rng(1).random(*args, **kwargs)
    with pytest.raises(theirs.type) as ours:
        np.random.default_rng(1).random(*args, **kwargs)
    assert str(ours.value) == str(theirs.value)


def test_other_draws_generators_and_modules() -> None:
    ours, theirs = np.random.default_rng(7), numpy.random.default_rng(7)
    assert ours.integers(0, 9, 5).tolist() == theirs.integers(0, 9, 5).tolist()
    weights = np.array([0.25, 0.75])
    assert (
        ours.choice(np.arange(2), 9, p=weights).tolist()
        == theirs.choice(numpy.arange(2), 9, p=numpy.array([0.25, 0.75])).tolist()
    )
    values = np.arange(10)
    ours.shuffle(values)
    shuffled = numpy.arange(10)
    theirs.shuffle(shuffled)
    assert values.tolist() == shuffled.tolist()
    children = zip(ours.spawn(2), theirs.spawn(2), strict=True)
    assert all(a.random(3).tolist() == b.random(3).tolist() for a, b in children)
    again = pickle.loads(pickle.dumps(ours))
    assert isinstance(again.random(3), np.ndarray)
    assert np.random.default_rng(again).random() is not None
    np.random.seed(4)
    numpy.random.seed(4)
    legacy = np.random.rand(3)
    numpy.random.seed(4)
    assert legacy.tolist() == numpy.random.rand(3).tolist()
    state = np.random.RandomState(6)
    assert state.normal(size=4).tolist() == numpy.random.RandomState(6).normal(size=4).tolist()
