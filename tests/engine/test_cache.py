"""The merge cache: who hits, who must not, and that a hit gives the bits of a miss."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from property import programs, running

pytestmark = pytest.mark.usefixtures("cold_cache")


def lehmer(xp: Any, n: int) -> Any:
    i = xp.arange(1, n + 1, dtype="float64")
    return xp.minimum(i[:, None], i) / xp.maximum(i[:, None], i)


def lu(xp: Any, n: int, flush: Callable[[], None]) -> Any:
    lower, upper = xp.identity(n), lehmer(xp, n)
    for k in range(n - 1):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k : k + 1]
        upper[k + 1 :, k:] -= lower[k + 1 :, k][:, None] * upper[k, k:]
        upper[k + 1 :, k] = 0.0
        flush()
    return lower, upper


def gauss(xp: Any, n: int, flush: Callable[[], None]) -> Any:
    a = lehmer(xp, n)
    for k in range(n - 1):
        a[k + 1 :, k:] -= (a[k + 1 :, k] / a[k, k : k + 1])[:, None] * a[k, k:]
        flush()
    return (a,)


@pytest.mark.parametrize("program", [lu, gauss])
def test_eliminations_that_shrink_hit(program: Callable[..., Any]) -> None:
    expected = program(numpy, 300, lambda: None)
    found = program(np, 300, np.flush)
    info = np.cache_info()
    for e, f in zip(expected, found, strict=True):
        assert numpy.array_equal(e, numpy.asarray(f))
    assert info.hits > 0.95 * (info.hits + info.misses)
    assert info.symbolic_hits > 0.9 * info.hits, "every step has another size"
    program(np, 300, np.flush)
    np.reset_stats()
    program(np, 300, np.flush)
    again = np.cache_info()
    assert again.misses == 0
    assert again.symbolic_hits < 0.1 * again.hits, "a shape that returned is found exactly"


def test_hundreds_of_columns_of_other_lengths_hit() -> None:
    # Each column is asked about with each: some forty guards for every instruction, and all of
    # them hold for rows that are longer.
    def columns(xp: Any, rows: int, table: Any) -> Any:
        for row in (rows, rows + 1):
            for j in range(table.shape[1]):
                table[:row, j] += 0.5 * table[row, j : j + 1]
        return table

    def by_hassium(rows: int) -> Any:
        table = np.asarray(start.copy())
        np.flush()
        return numpy.asarray(columns(np, rows, table))

    start = numpy.random.default_rng(0).random((140, 150))
    # Clocks decide how long background flushes are; some sizes lie below the bound of a pass.
    with np.config(background_flush="off", reroll="on"):
        by_hassium(70)
        before = np.stats()
        for rows in (72, 74, 131):
            assert numpy.array_equal(by_hassium(rows), columns(numpy, rows, start.copy()))
        after = np.stats()
    assert after["cache_misses"] == before["cache_misses"]
    assert after["cache_symbolic_hits"] - before["cache_symbolic_hits"] >= 3


def test_exact_alone_can_be_chosen() -> None:
    with np.config(cache_symbolic=False):
        np.reset_stats()
        gauss(np, 20, np.flush)
        info = np.cache_info()
        assert info.symbolic_hits == 0
        assert info.families == 0
        assert info.misses >= 19, "every step has another size"
        before = info.misses
        gauss(np, 20, np.flush)
        assert np.cache_info().misses == before


def shifted(xp: Any, base: Any, shift: int, n: int) -> Any:
    """Two sweeps over a base whose views overlap, or are equal, or neither, by `shift`."""
    first, second = base[:n], base[shift : shift + n]
    t = first * 2.0
    second += t
    first -= second * 0.5
    return t


def test_programs_that_differ_in_an_overlap_never_share() -> None:
    n = 50
    for order in ([n, 3, 0, n + 7, 1], [0, n, n - 1, 3, n]):
        np.cache_clear()
        for shift in order:
            expected = numpy.arange(200.0)
            base = np.asarray(expected.copy()) + 0.0
            np.flush()
            t = shifted(numpy, expected, shift, n)
            s = shifted(np, base, shift, n)
            np.flush()
            assert numpy.array_equal(numpy.asarray(base), expected), shift
            assert numpy.array_equal(numpy.asarray(s), t), shift


def test_a_program_that_differs_late_from_the_one_before() -> None:
    """What is recorded is compared with what was recorded last, instruction by instruction."""
    n = 50
    expected = numpy.arange(300.0)
    base = np.asarray(expected.copy()) + 0.0
    kept = None
    np.flush()
    np.reset_stats()
    for round, shift in enumerate([3, 3, 3, 4, 3, 3, n, n, 4, 4, n, 3, 3] * 2):
        for xp, a in ((numpy, expected), (np, base)):
            t = a[:n] * 0.5
            a[n : 2 * n] += t
            a[100 + shift : 100 + n + shift] = a[n : 2 * n] * 0.25
            if xp is np:
                kept = t if round % 5 == 0 else None
        del t
        np.flush()
        assert numpy.array_equal(numpy.asarray(base), expected), (round, shift)
    assert kept is None or numpy.array_equal(numpy.asarray(kept), expected[:n] * 0.5)
    stats = np.stats()
    assert stats["cache_hits"] - stats["cache_symbolic_hits"] > 8


def test_an_overlap_that_differs_is_a_miss() -> None:
    n = 40

    def misses(shift: int) -> int:
        base = np.ones(200)
        np.flush()
        before = np.cache_info().misses
        shifted(np, base, shift, n)
        np.flush()
        return np.cache_info().misses - before

    assert misses(n + 1) == 1, "apart"
    assert misses(n + 9) == 0, "apart in another place"
    assert misses(n) == 0, "side by side, but apart"
    assert misses(n - 1) == 1, "one element shared"
    assert misses(5) == 0, "more elements shared"
    assert misses(0) == 1, "the same view"


def test_strided_views_that_interleave_or_meet_never_share() -> None:
    def sweep(xp: Any, base: Any, offset: int, step: int) -> None:
        even = base[0:60:2]
        other = base[offset : offset + 30 * step : step]
        other *= 3.0
        even += 1.0
        other -= even

    for offset, step in [(1, 2), (3, 2), (2, 2), (0, 2), (1, 4), (61, 2), (1, 3), (4, 2), (60, 1)]:
        expected = numpy.arange(400.0)
        base = np.asarray(expected.copy()) + 0.0
        np.flush()
        sweep(numpy, expected, offset, step)
        sweep(np, base, offset, step)
        np.flush()
        assert numpy.array_equal(numpy.asarray(base), expected), (offset, step)


def test_values_and_error_states_are_no_part_of_the_key() -> None:
    x = np.ones(100)
    np.flush()
    np.reset_stats()
    for value in (3.0, 5.0, 7.0):
        with np.errstate(divide="ignore" if value == 5.0 else "warn"):
            y = x / value
            np.flush()
        assert float(y[7]) == 1.0 / value
    assert np.cache_info().misses == 1


def test_extents_zero_and_one_are_their_own_classes() -> None:
    for n in (5, 1, 0, 2, 9, 1, 0):
        x = np.arange(float(n))
        y = (x * 2.0 + 1.0).sum()
        assert float(y) == float((numpy.arange(float(n)) * 2.0 + 1.0).sum())


def test_reductions_over_other_axes_orders_and_lengths() -> None:
    """Trees follow the numbers: a family must not carry one tree to another shape."""
    rng = numpy.random.default_rng(7)
    for shape in [(3, 700), (700, 3), (40, 50), (2, 5000), (5000, 2), (600, 600), (1, 9), (9, 1)]:
        for source in (rng.random(shape), rng.random(shape).T.copy().T):
            with np.config(cache=False):
                x = np.asarray(source.copy()) + 0.0
                cold = [numpy.asarray((x * 2.0).sum(axis=a) + x.max(axis=a)) for a in (0, 1)]
            x = np.asarray(source.copy()) + 0.0
            np.flush()
            warm = [numpy.asarray((x * 2.0).sum(axis=a) + x.max(axis=a)) for a in (0, 1)]
            for c, w in zip(cold, warm, strict=True):
                assert c.tobytes() == w.tobytes()


@pytest.mark.parametrize("engine", [{}, {"partitioner": "linear"}])
def test_random_programs_have_the_same_bits_cold_and_warm(engine: dict[str, Any]) -> None:
    rng = random.Random(11)
    with np.config(**engine):
        for _ in range(60):
            choices = [
                (rng.randrange(60),) + tuple(rng.randrange(60) for _ in range(4))
                for _ in range(rng.randrange(5, 30))
            ]
            lines = programs.write(choices)
            with np.config(cache=False):
                cold = running.run(lines, np, np.flush)
            for _ in range(4):
                running.compare(cold, running.run(lines, np, np.flush), exact=True)
    info = np.cache_info()
    assert info.hits > info.misses


def test_levels_are_bounded() -> None:
    with np.config(cache_entries=8):
        np.cache_clear()
        for k in range(1, 40):
            x = np.ones(10)
            for _ in range(k):
                x = x + 1.0
            assert float(x[0]) == 1.0 + k
            info = np.cache_info()
            assert info.entries <= 8
            assert info.families <= 8


def test_families_of_one_form_are_bounded() -> None:
    """Ever new relations of the same four views: each a family, few are kept."""
    rng = random.Random(3)
    for _ in range(300):
        expected = numpy.arange(100.0)
        base = np.asarray(expected.copy()) + 0.0
        np.flush()
        starts = [rng.randrange(60) for _ in range(4)]
        for xp_base in (expected, base):
            views = [xp_base[s : s + 20] for s in starts]
            views[0] += 1.0
            views[1] *= 2.0
            views[2] -= 3.0
            views[3] *= 0.5
        np.flush()
        assert numpy.array_equal(numpy.asarray(base), expected)
    assert np.cache_info().families <= 16


def test_clear_forgets_and_settings_keep_apart() -> None:
    def step() -> int:
        x = np.ones(30)
        np.flush()
        before = np.cache_info().misses
        y = x + 1.0
        np.flush()
        del y
        return np.cache_info().misses - before

    assert step() == 1
    assert step() == 0
    with np.config(partitioner="singleton"):
        assert step() == 1
        assert step() == 0
    assert step() == 0, "the old settings find their entries again"
    np.cache_clear()
    assert np.cache_info().entries == 0
    assert step() == 1


def test_threads_share_the_cache() -> None:
    failures: list[str] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            n = rng.randrange(2, 40)
            expected = gauss(numpy, n, lambda: None)[0]
            found = numpy.asarray(gauss(np, n, np.flush)[0])
            if not numpy.array_equal(expected, found):
                failures.append(f"n = {n}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []
    info = np.cache_info()
    assert info.hits > 0.95 * (info.hits + info.misses)
