"""Uniform numbers of a PCG64 are recorded, and made where they are used: NumPy's, bit for bit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import _core, debug
from hassium.random import _sampling
from simd_levels import LEVELS

MANY = 5000  # of several tiles, and none whole

# Draws by a generator and a size.
DRAWS: dict[str, Callable[[Any, Any], Any]] = {
    "random": lambda g, size: g.random(size),
    "by name": lambda g, size: g.random(dtype="f4", size=size),
    "singles": lambda g, size: g.random(size, numpy.float32),
    "uniform": lambda g, size: g.uniform(-2.5, 7, size),
    "from zero": lambda g, size: g.uniform(high=0.3, size=size),
    "nowhere": lambda g, size: g.uniform(2, 2, size),
    "one": lambda g, size: g.random() + g.uniform(0, 2) + g.random(dtype="f4"),
    "others": lambda g, size: g.integers(0, 9, size),
}


def same(ours: Any, theirs: Any) -> None:
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_draws_follow_one_another(seed: int) -> None:
    """Values, and what the bit generator has drawn, whatever was drawn before."""
    ours, theirs = np.random.default_rng(seed), numpy.random.default_rng(seed)
    choose = numpy.random.default_rng(seed + 100)
    kept = []
    for _ in range(60):
        n = int(choose.choice([0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 64, 65, 513, MANY]))
        size = [n, (n,), (n, 3), (2, n), numpy.int64(n), ()][choose.integers(6)]
        draw = DRAWS[str(choose.choice(list(DRAWS)))]
        kept.append((draw(ours, size), draw(theirs, size)))
        assert ours.bit_generator.state == theirs.bit_generator.state
    for x, y in kept:
        same(x, y)


def programs(m: Any) -> list[Any]:
    g = m.random.default_rng(8)
    x, y, z = g.random((60, 83)), g.random((60, 83)), g.random((83, 60), dtype=m.float32)
    a = g.random((7, 11, 13))
    return [
        m.less_equal(x * x + y * y, 1.0).sum(),
        x.T + z,
        x[::-1, ::3] * 2.0,
        z.sum(axis=0) > 41,
        a.transpose(2, 0, 1) - 0.5,
        m.where(g.random(MANY) < 0.25, 1, g.uniform(2, 3, MANY)),
        (g.random(MANY) < 0.5).cumsum(),
        m.sqrt(g.random(MANY)[10:] + g.random(MANY)[:-10]),
        *[across(m, g, shape, dtype) for shape in SHAPES for dtype in ("f4", "f8")],
    ]


# Of memory that a draw is added to, in the order of its axes in memory.
SHAPES = [(83, 60), (60, 83), (4, 1300), (1300, 3), (5, 1), (11, 7, 13)]


def across(m: Any, g: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Draws in the order of memory that is transposed, and backwards."""
    here = m.zeros(shape, dtype)
    here.T[...] += g.random(shape[::-1], dtype=dtype)
    here.T[::-1, ::-2] -= g.random(here.T[::-1, ::-2].shape, dtype=dtype)
    return here


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("executor", ["tile", "reference"])
def test_every_engine(level: str, threads: int, executor: str) -> None:
    with np.config(
        simd=level, threads=threads, executor=executor, parallelize="on", eager_elements=0
    ):
        for ours, theirs in zip(programs(np), programs(numpy), strict=True):
            same(ours, theirs)


def test_numbers_that_are_used_up_never_lie_in_memory() -> None:
    g, theirs = np.random.default_rng(2), numpy.random.default_rng(2)
    np.flush()
    before = np.stats()
    inside = ((g.random(MANY) ** 2 + g.random(MANY) ** 2) <= 1).sum()
    assert int(inside) == int(((theirs.random(MANY) ** 2 + theirs.random(MANY) ** 2) <= 1).sum())
    after = np.stats()
    assert after["blocks"] - before["blocks"] == 1
    assert after["contracted"] - before["contracted"] >= 5
    assert after["fallbacks"] == before["fallbacks"]


def test_steps_of_a_loop_are_planned_once() -> None:
    g = np.random.default_rng(2)
    for step in range(6):
        if step == 3:
            planned = np.stats()["cache_misses"]
        float((g.random(MANY) * g.random(MANY)).sum())
    assert np.stats()["cache_misses"] == planned


def test_text_of_a_recorded_draw_runs_again() -> None:
    with debug.capture() as flushes:
        x = np.random.default_rng(9).random(MANY)
        same(x, numpy.random.default_rng(9).random(MANY))
    text = flushes[0].program
    assert "random b0 0x" in text
    assert debug.run(text)["b0"][1] == numpy.asarray(x).tobytes()


def test_a_half_that_is_left_goes_to_the_next_single() -> None:
    ours, theirs = np.random.default_rng(4), numpy.random.default_rng(4)
    for count in (3, 2, 5, 0, 1, 1):
        same(ours.random(count, dtype="f4"), theirs.random(count, dtype="f4"))
        same(ours.random(count), theirs.random(count))
        assert ours.bit_generator.state == theirs.bit_generator.state
    for g in (ours, theirs):
        g.bit_generator.state = {**g.bit_generator.state, "has_uint32": 1, "uinteger": 77}
    same(ours.random(9, dtype="f4"), theirs.random(9, dtype="f4"))


@pytest.mark.parametrize(
    ("low", "high", "size"),
    [
        (0, numpy.inf, 3),
        (1, 0, 3),
        (numpy.nan, 1, 3),
        (-1e308, 1e308, 3),
        (0, 1, -3),
        (0, 1, "3"),
        (0, 1, (3, -1)),
        (10**400, 1, 3),
        ("a", 1, 3),
    ],
)
def test_errors_are_numpys_and_draw_nothing(low: Any, high: Any, size: Any) -> None:
    ours, theirs = np.random.default_rng(4), numpy.random.default_rng(4)
    with pytest.raises(Exception) as expected:  # noqa: PT011  NumPy's, whatever it is
        theirs.uniform(low, high, size)
    with pytest.raises(expected.type) as raised:
        ours.uniform(low, high, size)
    assert str(raised.value) == str(expected.value)
    assert ours.bit_generator.state == theirs.bit_generator.state


def test_arguments_that_are_not_plain() -> None:
    ours, theirs = np.random.default_rng(4), numpy.random.default_rng(4)
    low = numpy.array([0.0, 2.0])
    same(ours.uniform(np.array(low), 3.0), theirs.uniform(low, 3.0))
    same(ours.uniform(low, numpy.float32(5), (3, 2)), theirs.uniform(low, numpy.float32(5), (3, 2)))
    same(ours.uniform(True, 2, 4), theirs.uniform(True, 2, 4))
    same(ours.random([3, 2]), theirs.random([3, 2]))
    same(ours.random(4, dtype=float), theirs.random(4, dtype=float))
    same(ours.random(4, None), theirs.random(4, None))
    same(ours.uniform(), theirs.uniform())
    assert ours.bit_generator.state == theirs.bit_generator.state


@pytest.mark.parametrize("name", ["MT19937", "PCG64DXSM", "Philox", "SFC64"])
def test_other_bit_generators_are_numpys(name: str) -> None:
    ours = np.random.Generator(getattr(np.random, name)(3))
    theirs = numpy.random.Generator(getattr(numpy.random, name)(3))
    same(ours.random(MANY), theirs.random(MANY))
    same(ours.uniform(1, 2, 9), theirs.uniform(1, 2, 9))


def test_threads_share_a_generator() -> None:
    """Each number is drawn once, by whomever."""
    ours = np.random.default_rng(6)
    parts: list[Any] = []

    def work() -> None:
        for k in range(20):
            parts.append(ours.random(200) if k % 2 else ours.standard_normal(50)[:0])
            parts.append(numpy.random.Generator.random(ours._numpys, 300))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    drawn = numpy.concatenate([numpy.asarray(part) for part in parts])
    assert len(numpy.unique(drawn)) == len(drawn) == 3 * (20 * 300 + 10 * 200)


def test_where_the_state_lies() -> None:
    for kind in (numpy.random.PCG64, numpy.random.MT19937):
        assert _sampling.known_layout(kind)
    bits = numpy.random.PCG64(5)
    state = bits.state["state"]
    assert _core.pcg64_in_memory(bits)[:2] == (state["state"], state["inc"])
    bits = numpy.random.MT19937(5)
    key, position = _core.mt19937_in_memory(bits)
    assert key == bits.state["state"]["key"].astype("u4").tobytes()
    assert position == bits.state["state"]["pos"]
