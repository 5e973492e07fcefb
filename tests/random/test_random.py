"""NumPy's random streams: the same numbers, as hassium arrays."""

from __future__ import annotations

import copy
import inspect
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
    x = generator.standard_normal(MANY)
    assert np.stats()["bytes_held"] - held >= 8 * MANY
    x += 1.0
    expected = numpy.random.default_rng(5).standard_normal(MANY) + 1.0
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


def test_classes_of_generators() -> None:
    """Annotations, checks of seeds and derived classes name them."""
    rng, legacy = np.random.default_rng(1), np.random.RandomState(1)
    assert type(rng) is np.random.Generator
    assert type(legacy) is np.random.RandomState
    assert np.random.Generator | None
    for module in (np, numpy):
        assert isinstance(rng, module.random.Generator)
        assert isinstance(legacy, module.random.RandomState)
        assert not isinstance(rng, module.random.RandomState)
        assert issubclass(np.random.Generator, module.random.Generator)
    assert isinstance(numpy.random.default_rng(1), np.random.Generator)
    assert issubclass(numpy.random.RandomState, np.random.RandomState)
    assert isinstance(np.random.mtrand._rand, np.random.RandomState)
    assert not isinstance(3, np.random.Generator)
    assert np.random.default_rng(rng) is rng
    assert type(np.random.default_rng(numpy.random.default_rng(1))) is np.random.Generator
    assert str(rng) == "Generator(PCG64)"
    assert repr(legacy).startswith("RandomState(MT19937) at 0x")
    assert np.random.Generator.normal.__doc__ == numpy.random.Generator.normal.__doc__
    drawn = np.random.Generator.random(rng, 3)
    assert drawn.tolist() == numpy.random.default_rng(1).random(3).tolist()
    assert type(np.random.Generator(np.random.PCG64(3)).random(2)) is np.ndarray
    assert all(type(child) is np.random.Generator for child in rng.spawn(2))
    assert np.random.Generator.__name__ == "Generator"


def test_derived_generators() -> None:
    class Lucky(np.random.Generator):  # type: ignore[misc, name-defined]
        def random(self, *args: Any, **kwargs: Any) -> Any:
            return 7 + super().random(*args, **kwargs)

    rng = Lucky(np.random.PCG64(2))
    for _ in range(2):
        assert 7 <= rng.random() < 8
    assert type(rng.normal(size=2)) is np.ndarray
    assert not isinstance(np.random.default_rng(1), Lucky)
    assert isinstance(rng, Lucky)


@pytest.mark.parametrize("kind", ["default_rng", "RandomState"])
def test_copies_of_generators(kind: str) -> None:
    rng = getattr(np.random, kind)(11)
    expected = getattr(numpy.random, kind)(11)
    rng.standard_normal(), expected.standard_normal()  # the older keeps one of two
    for again in (pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)):
        assert type(again) is type(rng)
        assert again.standard_normal(3).tolist() == expected.standard_normal(3).tolist()
        expected = getattr(numpy.random, kind)(11)
        expected.standard_normal()
    assert rng.standard_normal(3).tolist() == expected.standard_normal(3).tolist()


def test_state_of_generators() -> None:
    legacy, theirs = np.random.RandomState(5), numpy.random.RandomState(5)
    legacy.normal(), theirs.normal()
    state = legacy.get_state()
    first = legacy.normal(size=3).tolist()
    legacy.set_state(state)
    assert legacy.normal(size=3).tolist() == first == theirs.normal(size=3).tolist()
    legacy.seed(5)
    theirs.seed(5)
    assert legacy.randint(9, size=4).tolist() == theirs.randint(9, size=4).tolist()
    rng = np.random.default_rng(1)
    rng.bit_generator.state = np.random.default_rng(8).bit_generator.state
    assert rng.random() == numpy.random.default_rng(8).random()


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_sizes_of_draws(name: str) -> None:
    given: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}), ((None,), {}), ((), {"size": None}), ((), {"size": 5}), ((), {"size": 70_000}),
        ((), {"size": (2, 3)}), ((), {"dtype": "f4"}), ((2,), {"dtype": numpy.float32}),
        ((), {"size": 200_000, "dtype": "f4"}),
    ]  # fmt: skip
    ours, theirs = np.random.default_rng(1), numpy.random.default_rng(1)
    for args, kwargs in given:
        found, wanted = getattr(ours, name)(*args, **kwargs), getattr(theirs, name)(*args, **kwargs)
        assert type(found) is (np.ndarray if isinstance(wanted, numpy.ndarray) else type(wanted))
        assert numpy.array_equal(found, wanted)
    with pytest.raises(TypeError):
        getattr(ours, name)(some=1)


@pytest.mark.parametrize("name", ["integers", "random", "normal", "randint", "uniform"])
def test_draws_kept_in_a_class_take_no_instance(name: str) -> None:
    """What draws is bound already, as an attribute of a class as well."""

    def drawn(module: Any) -> Any:
        seeded = module.random.default_rng(1)
        if not hasattr(seeded, name):
            seeded = module.random.RandomState(1)
        kind = type("Kind", (), {"draw": getattr(seeded, name)})
        return kind().draw(2, 9, 3) if name in ("integers", "randint") else kind().draw(size=3)

    assert drawn(np).tolist() == drawn(numpy).tolist()


def test_a_function_of_the_module_kept_in_a_class() -> None:
    class Kind:
        draw = np.random.rand

    assert Kind().draw(3).shape == (3,)


@pytest.mark.parametrize("name", ["normal", "integers"])
def test_signatures_of_draws(name: str) -> None:
    ours, theirs = np.random.default_rng(1), numpy.random.default_rng(1)
    assert inspect.signature(getattr(ours, name)) == inspect.signature(getattr(theirs, name))
    assert getattr(ours, name).__doc__ == getattr(theirs, name).__doc__


def test_functions_that_draw_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(np.random.default_rng)) is np.random.default_rng
    draw = pickle.loads(pickle.dumps(np.random.default_rng(3).normal))
    assert draw(size=4).tolist() == numpy.random.default_rng(3).normal(size=4).tolist()


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_bit_generators_are_seeded_by_arrays(name: str) -> None:
    kind, theirs = getattr(np.random, name), getattr(numpy.random, name)
    bits = kind(np.arange(4))
    assert isinstance(bits, theirs)
    assert isinstance(theirs(1), kind)
    for again in (bits, pickle.loads(pickle.dumps(bits)), copy.deepcopy(bits)):
        assert type(again) is kind
        assert again.random_raw() == theirs(numpy.arange(4)).random_raw()
    assert type(kind(seed=np.arange(2)).spawn(1)[0]) is kind
    assert str(np.random.Generator(bits)) == f"Generator({name})"


def test_a_sequence_of_seeds_from_an_array() -> None:
    ours, theirs = (m.random.SeedSequence(m.arange(3), spawn_key=(1,)) for m in (np, numpy))
    assert ours.generate_state(4).tolist() == theirs.generate_state(4).tolist()
    assert type(ours.spawn(1)[0]) is np.random.SeedSequence
    with pytest.raises(TypeError, match="expects int or sequence of ints"):
        np.random.SeedSequence("one")


@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
def test_a_list_is_shuffled_itself_whatever_is_in_it(make: str) -> None:
    def shuffled(m: Any) -> list[Any]:
        generator = getattr(m.random, make)(4)
        found: list[Any] = []
        for items in ([m.arange(i) for i in range(5)], [[m.arange(2)], 1, 2, 3], [1, 2, 3]):
            known = {id(item): k for k, item in enumerate(items)}
            assert generator.shuffle(items) is None
            found.append([known[id(item)] for item in items])
        array = m.arange(20)
        generator.shuffle(x=array)
        return [*found, array.tolist(), generator.permutation(5).tolist()]

    assert shuffled(np) == shuffled(numpy)


def test_the_modules_function_shuffles_a_list_itself() -> None:
    items = [np.ones(2), 1, [np.ones(1)], "text"]
    wanted = [0, 1, 2, 3]
    numpy.random.RandomState(3).shuffle(wanted)
    expected = [items[k] for k in wanted]
    np.random.seed(3)
    np.random.shuffle(items)
    assert all(a is b for a, b in zip(items, expected, strict=True))
    with pytest.raises(TypeError):
        np.random.default_rng(1).shuffle()
