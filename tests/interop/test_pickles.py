"""What a program sends to other processes: the same objects travel as do with NumPy."""

from __future__ import annotations

import copy
import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium as np
from packages import wanted

MODULES = ("", "linalg", "random", "fft", "ma", "polynomial", "lib", "emath", "testing", "rec")


@pytest.fixture(params=["pickle", "cloudpickle"])
def by(request: pytest.FixtureRequest) -> Any:
    """A module with `dumps` and `loads`."""
    return wanted(request.param)


def travels(by: Any, value: Any) -> Any:
    return by.loads(by.dumps(value))


def members(name: str) -> Iterator[tuple[Any, Any]]:
    """NumPy's public functions, modules and ufuncs of a module, with what stands here for them."""
    theirs = getattr(numpy, name) if name else numpy
    ours = getattr(np, name) if name else np
    for member in theirs.__all__:
        if member in ("test", "core"):
            continue
        yield getattr(theirs, member), getattr(ours, member)


def can_travel(by: Any, value: Any) -> bool:
    try:
        travels(by, value)
    except (pickle.PicklingError, TypeError, AttributeError, ImportError):
        return False
    return True


@pytest.mark.parametrize("name", MODULES)
def test_names_travel_by_reference(by: Any, name: str) -> None:
    lost = []
    for theirs, ours in members(name):
        if isinstance(theirs, types.MethodType) or not can_travel(by, theirs):
            continue
        found = travels(by, ours)
        by_reference = callable(theirs) or isinstance(theirs, types.ModuleType)
        if type(found) is not type(ours) or (by_reference and travels(by, theirs) is theirs
                                             and found is not ours):  # fmt: skip
            lost.append(ours)
    # A masked operation is an object with a state, and so are those of characters.
    assert [value for value in lost if "_operation" not in getattr(value, "__dict__", {})] == []


def test_methods_travel_with_their_array(by: Any) -> None:
    x, theirs = np.ones((2, 2)), numpy.ones((2, 2))
    for name in dir(numpy.ndarray):
        method = None if name.startswith("_") else getattr(x, name, None)
        if not callable(method) or not can_travel(by, getattr(theirs, name)):
            continue
        found = travels(by, method)
        assert found.__name__ == name
        assert found.__self__.tolist() == x.tolist()


@pytest.mark.parametrize("name", MODULES)
def test_modules_travel_for_functions_by_value(name: str) -> None:
    module = getattr(np, name) if name else np
    assert travels(pickle, module) is module
    assert copy.deepcopy(module) is module


@pytest.mark.parametrize("name", ["r_", "c_", "mgrid", "ogrid"])
def test_subscripted_objects_travel(name: str) -> None:
    assert travels(pickle, getattr(np, name)) is getattr(np, name)


ARRAYS: dict[str, Callable[[], Any]] = {
    "ints": lambda: np.arange(5),
    "columns": lambda: np.arange(6.0).reshape(2, 3).T,
    "strided": lambda: np.arange(9)[::2],
    "one number": lambda: np.array(3.0),
    "empty": lambda: np.zeros((0, 3), "f4"),
    "complex": lambda: np.arange(3) + 1j,
    "records": lambda: np.zeros(3, [("a", "i4"), ("b", "f8")]),
    "words": lambda: np.array(["a", "bc"]),
    "objects": lambda: np.array([1, "x", None], object),
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_travel(name: str, protocol: int) -> None:
    array = ARRAYS[name]()
    found = pickle.loads(pickle.dumps(array, protocol))
    assert type(found) is type(array)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.flags.writeable
    assert found.flags.f_contiguous == numpy.asarray(array).copy("A").flags.f_contiguous
    assert found.tolist() == array.tolist()


def test_memory_travels_out_of_band() -> None:
    array = np.arange(1000.0)
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(array, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(text) < 1000
    assert (pickle.loads(text, buffers=buffers) == array).all()


def test_a_lazy_scalar_travels_as_numpys() -> None:
    assert type(travels(pickle, np.arange(3.0).sum())) is numpy.float64


GENERATORS = {
    "default_rng": lambda: np.random.default_rng(3),
    "Philox": lambda: np.random.Generator(np.random.Philox(3)),
    "RandomState": lambda: np.random.RandomState(3),
}
DRAWS: dict[str, tuple[Any, ...]] = {
    "random": (5,),
    "uniform": (0, 1, 5),
    "standard_normal": (5,),
    "normal": (0, 1, 5),
    "choice": (9, 5),
    "permutation": (9,),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_travel_with_their_state(by: Any, name: str) -> None:
    generator = GENERATORS[name]()
    generator.random(3)
    generator.standard_normal()  # the older one keeps the second of a pair
    found = travels(by, generator)
    assert type(found) is type(generator)
    for draw, arguments in DRAWS.items():
        here, there = getattr(generator, draw)(*arguments), getattr(found, draw)(*arguments)
        assert type(here) is type(there) is np._core.ndarray
        assert here.tolist() == there.tolist()


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("name", GENERATORS)
def test_methods_of_generators_travel(by: Any, name: str, draw: str) -> None:
    generator = GENERATORS[name]()
    found = travels(by, getattr(generator, draw))
    there, here = found(*DRAWS[draw]), getattr(generator, draw)(*DRAWS[draw])
    assert type(there) is np._core.ndarray
    assert there.tolist() == here.tolist()


def test_functions_of_the_one_generator_travel_with_its_state(by: Any) -> None:
    for draw, arguments in DRAWS.items():
        if hasattr(numpy.random, draw):
            found = travels(by, getattr(np.random, draw))
            there, here = found(*arguments), getattr(np.random, draw)(*arguments)
            assert type(there) is type(here) is np._core.ndarray
            assert there.tolist() == here.tolist()


def test_a_copy_of_a_function_of_the_one_generator_has_a_state_of_its_own() -> None:
    np.random.seed(3)
    np.random.standard_normal()  # the second of a pair is kept
    copied = copy.deepcopy(np.random.normal)
    here = np.random.normal(size=5)
    assert copied(size=5).tolist() == here.tolist()
    assert np.random.normal.__self__.get_state()[0] == "MT19937"
