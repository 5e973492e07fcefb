"""Many numbers of NumPy's streams, drawn on all cores; and the generators after them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy
import pytest

import hassium as np
from hassium.random import _sampling

if TYPE_CHECKING:
    from collections.abc import Callable

# Around what is drawn here at all, and what a thread draws at once.
SIZES = (1023, 1024, 4095, 4096, 8191, 8192, 8193, 16384, 16385, 40001)

OF_GENERATOR: list[Callable[[Any, Any], Any]] = [
    lambda r, n: r.standard_normal(n),
    lambda r, n: r.standard_normal(size=n, dtype="f4"),
    lambda r, n: r.standard_normal(n, numpy.float64),
    lambda r, n: r.standard_exponential(n),
    lambda r, n: r.standard_exponential(n, dtype=numpy.float32),
    lambda r, n: r.standard_exponential(n, method="inv"),
    lambda r, n: r.normal(2, 0.3, n),
    lambda r, n: r.normal(size=n),
    lambda r, n: r.normal(loc=numpy.float64(-0.5), size=n, scale=0.0),
    lambda r, n: r.exponential(0.7, n),
    lambda r, n: r.exponential(size=n),
    lambda r, n: r.integers(100, size=n),
    lambda r, n: r.integers(-5, 7, n, endpoint=True),
    lambda r, n: r.integers(3, 4, n),
    lambda r, n: r.integers(0, 2**31 + 7, n),
    lambda r, n: r.integers(0, 2**32, n),
    lambda r, n: r.integers(-(2**63), 2**62, n),
    lambda r, n: r.integers(-(2**63), 2**63, n),
    lambda r, n: r.integers(0, 2**64, n, numpy.uint64),
    lambda r, n: r.integers(0, 2**32, n, dtype="u4"),
    lambda r, n: r.integers(-3, 2**30, n, dtype="i4"),
    lambda r, n: r.integers(0, 200, n, dtype="u1"),
    lambda r, n: r.integers(-128, 128, n, dtype="i1"),
    lambda r, n: r.integers(0, 40000, n, dtype="u2"),
    lambda r, n: r.integers(0, 2, n, dtype=bool),
]

OF_RANDOM_STATE: list[Callable[[Any, Any], Any]] = [
    lambda r, n: r.random_sample(n),
    lambda r, n: r.random(size=n),
    lambda r, n: r.rand(n // 3, 3),
    lambda r, n: r.randn(n),
    lambda r, n: r.standard_normal(n),
    lambda r, n: r.normal(-1.5, 3, n),
    lambda r, n: r.uniform(-1, 2.5, n),
    lambda r, n: r.exponential(2.0, n),
    lambda r, n: r.standard_exponential(n),
    lambda r, n: r.randint(100, size=n),
    lambda r, n: r.randint(0, 65, n),
    lambda r, n: r.randint(0, 2**32, n),
    lambda r, n: r.randint(-(2**63), 2**62, n),
    lambda r, n: r.randint(0, 129, n, "u1"),
    lambda r, n: r.randint(0, 1025, n, numpy.int16),
    lambda r, n: r.randint(7, 8, n),
]

THREADS = [1, 2, 3, 7]


def state(generator: Any) -> str:
    if isinstance(generator, numpy.random.Generator):
        return str(generator.bit_generator.state)
    kept = generator.get_state(legacy=False)
    whole = kept["state"]
    key = numpy.asarray(whole["key"]).tolist()
    return f"{key} {whole['pos']} {kept['has_gauss']} {kept['gauss']}"


def check(ours: Any, theirs: Any, draw: Callable[[Any, Any], Any], n: Any) -> None:
    result, expected = draw(ours, n), draw(theirs, n)
    assert isinstance(result, np.ndarray)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert numpy.asarray(result).tobytes() == expected.tobytes()
    assert state(ours) == state(theirs)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("draw", OF_GENERATOR)
def test_draws_of_a_generator(draw: Callable[[Any, Any], Any], threads: int) -> None:
    ours, theirs = np.random.default_rng(threads), numpy.random.default_rng(threads)
    with np.config(threads=threads, parallelize="on"):
        for n in SIZES:
            check(ours, theirs, draw, n)
            # A half of a word is left, or none.
            assert ours.random(dtype="f4") == theirs.random(dtype="f4")


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("draw", OF_RANDOM_STATE)
def test_draws_of_a_random_state(draw: Callable[[Any, Any], Any], threads: int) -> None:
    ours, theirs = np.random.RandomState(threads), numpy.random.RandomState(threads)
    with np.config(threads=threads, parallelize="on"):
        for n in SIZES:
            check(ours, theirs, draw, n)
            # One number of a pair is left, or none, and words are no multiple of a draw's.
            assert ours.standard_normal() == theirs.standard_normal()
            assert ours.randint(5) == theirs.randint(5)


@pytest.mark.parametrize("seed", range(40))
def test_one_draw_after_another(seed: int) -> None:
    choose = numpy.random.default_rng(seed)
    pairs = [
        (np.random.default_rng(seed), numpy.random.default_rng(seed), OF_GENERATOR),
        (np.random.RandomState(seed), numpy.random.RandomState(seed), OF_RANDOM_STATE),
    ]
    for ours, theirs, kinds in pairs:
        for _ in range(8):
            draw = kinds[choose.integers(len(kinds))]
            check(ours, theirs, draw, int(choose.integers(4000, 20000)))


@pytest.mark.parametrize("shape", [(64, 64), (2, 0, 5000), (5000, 1), (10, 20, 30)])
def test_shapes(shape: tuple[int, ...]) -> None:
    check(np.random.default_rng(1), numpy.random.default_rng(1), OF_GENERATOR[0], shape)
    check(np.random.RandomState(1), numpy.random.RandomState(1), OF_RANDOM_STATE[4], shape)


def test_numpys_own_functions() -> None:
    kept = numpy.random.get_state(legacy=False)
    try:
        np.random.seed(11)
        theirs = numpy.random.RandomState(11)
        for draw in OF_RANDOM_STATE:
            expected = draw(theirs, 9000)
            assert numpy.asarray(draw(np.random, 9000)).tobytes() == expected.tobytes()
        assert np.random.rand() == theirs.rand()
    finally:
        numpy.random.set_state(kept)


@pytest.mark.parametrize("bits", ["Philox", "SFC64", "MT19937", "PCG64DXSM"])
def test_other_bit_generators_are_numpys(bits: str) -> None:
    kind = getattr(numpy.random, bits)
    ours, theirs = np.random.Generator(kind(3)), numpy.random.Generator(kind(3))
    for draw in OF_GENERATOR:
        expected = draw(theirs, 9000)
        assert numpy.asarray(draw(ours, 9000)).tobytes() == expected.tobytes()
    if bits == "MT19937":
        return
    ours, theirs = np.random.RandomState(kind(3)), numpy.random.RandomState(kind(3))
    for draw in OF_RANDOM_STATE:
        expected = draw(theirs, 9000)
        assert numpy.asarray(draw(ours, 9000)).tobytes() == expected.tobytes()


def test_bit_generators_of_this_package_are_known() -> None:
    bits = np.random.PCG64(5)
    assert (
        _sampling.drawn(_sampling.OfGenerator.normal, np.random.Generator(bits), (0, 1, 5000), {})
        is not None
    )
    twister = np.random.RandomState(np.random.MT19937(5))
    assert _sampling.drawn(_sampling.OfRandomState.rand, twister, (5000,), {}) is not None


REFUSED: list[Callable[[Any], Any]] = [
    lambda r: r.normal(0, -1, 5000),
    lambda r: r.normal(0, -0.0, 5000),
    lambda r: r.normal("a", 1, 5000),
    lambda r: r.exponential(-1, 5000),
    lambda r: r.exponential(scale=1, size=(5000, -1)),
    lambda r: r.normal(10**400, 1, 5000),
    lambda r: r.normal(0, 1, 5000, 3),
    lambda r: r.standard_normal(5000, none=1),
    lambda r: r.integers(5, 5, 5000),
    lambda r: r.integers(0, 300, 5000, dtype="u1"),
    lambda r: r.integers(0, 2**64, 5000),
    lambda r: r.integers(0, 3, 5000, dtype="f8"),
    lambda r: r.integers(0, 3, 5000, dtype=">i4"),
    lambda r: r.randint(5, 5, 5000),
    lambda r: r.randint(-1, 3, 5000, "u8"),
    lambda r: r.uniform(0, float("inf"), 5000),
    lambda r: r.rand(5000, "a"),
]


@pytest.mark.parametrize("draw", REFUSED)
def test_errors_are_numpys(draw: Callable[[Any], Any]) -> None:
    for kinds in ("default_rng", "RandomState"):
        generators = [getattr(module.random, kinds)(3) for module in (np, numpy)]
        if not hasattr(generators[0], "integers") and "integers" in draw.__code__.co_names:
            continue
        if not hasattr(generators[0], "rand") and {"rand", "randint"} & {*draw.__code__.co_names}:
            continue
        with pytest.raises(Exception) as theirs:  # noqa: PT011
            draw(generators[1])
        with pytest.raises(theirs.type) as ours:
            draw(generators[0])
        assert str(ours.value) == str(theirs.value)
        assert state(generators[0]) == state(generators[1])


def test_numbers_that_numpy_takes() -> None:
    for draw in (
        lambda r: r.normal(0, float("nan"), 5000),
        lambda r: r.normal(True, 2, 5000),
        lambda r: r.normal(numpy.float32(0.1), 2, 5000),
        lambda r: r.normal([0, 1], 2, (2500, 2)),
        lambda r: r.integers(0, [3, 9], (2500, 2)),
        lambda r: r.integers(numpy.int8(3), numpy.uint64(9), 5000),
        lambda r: r.integers(2.0, 9.5, 5000),
        lambda r: r.standard_normal(numpy.int64(5000)),
    ):
        ours, theirs = np.random.default_rng(3), numpy.random.default_rng(3)
        assert numpy.asarray(draw(ours)).tobytes() == draw(theirs).tobytes()
        assert state(ours) == state(theirs)


def test_another_stream_of_numpys_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    here = _sampling._draw

    def other(plan: Any, bits: Any, generator: Any) -> Any:
        return here(plan, bits, generator) + 1

    monkeypatch.setattr(_sampling, "_draw", other)
    _sampling._agrees.cache_clear()
    try:
        check(np.random.default_rng(1), numpy.random.default_rng(1), OF_GENERATOR[0], 9000)
    finally:
        _sampling._agrees.cache_clear()


def test_threads_share_a_generator() -> None:
    for generator in (np.random.default_rng(5), np.random.RandomState(5)):
        parts: list[Any] = []

        def work(generator: Any = generator, parts: list[Any] = parts) -> None:
            for _ in range(20):
                parts.append(generator.standard_normal(5001))
                parts.append(generator.exponential(2.0, 4097))

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        drawn = numpy.concatenate([numpy.asarray(part) for part in parts])
        assert len(numpy.unique(drawn)) == len(drawn) == 3 * 20 * (5001 + 4097)


@pytest.mark.parametrize("size", [5, (3, 4), 10_000, (200, 50), 0, (), None])
@pytest.mark.parametrize("of", [7, numpy.arange(10) * 1.5])
def test_choices_are_draws_of_positions(size: Any, of: Any) -> None:
    ours, theirs = np.random.default_rng(3), numpy.random.default_rng(3)
    old, older = np.random.RandomState(3), numpy.random.RandomState(3)
    pairs = [(ours, theirs), (old, older), (np.random, numpy.random)]
    for kwargs in ({}, {"replace": True}, {"p": None}):
        for one, other in pairs:
            np.random.seed(3)
            found = one.choice(of if isinstance(of, int) else np.array(of), size, **kwargs)
            np.random.seed(3)  # the same generator
            expected = other.choice(of, size, **kwargs)
            assert numpy.asarray(found).tobytes() == numpy.asarray(expected).tobytes()
            assert type(found).__name__ == type(expected).__name__
    assert ours.bit_generator.state == theirs.bit_generator.state
    some = ours.choice(np.arange(30), 3, replace=False, shuffle=False)
    assert some.tolist() == theirs.choice(30, 3, replace=False, shuffle=False).tolist()
    with pytest.raises(ValueError, match="cannot be empty"):
        ours.choice(np.arange(0), 3)


@pytest.mark.parametrize("size", [10**20, (10**10, 10**10), 2**62, numpy.uint64(2**63)])
@pytest.mark.parametrize("name", ["random", "standard_normal"])
def test_sizes_of_no_array(name: str, size: Any) -> None:
    with pytest.raises((ValueError, MemoryError)) as theirs:
        getattr(numpy.random.default_rng(3), name)(size)
    ours = np.random.default_rng(3)
    before = ours.bit_generator.state
    with pytest.raises(theirs.type) as raised:
        getattr(ours, name)(size)
    assert str(raised.value) == str(theirs.value)
    assert ours.bit_generator.state == before
