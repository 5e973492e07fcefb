"""Programs that read after every few operations run them at the call, on arrays not quite small."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np

N = 700


@pytest.fixture(autouse=True)
def fresh() -> None:
    np.flush()
    np.reset_stats()


def test_short_turns_run_at_the_call() -> None:
    x = np.ones(N)
    np.flush()
    for k in range(20):
        assert float((x * 2.0 + k)[3]) == 2.0 + k
    stats = np.stats()
    assert stats["direct"] > 2 * 15
    assert stats["flushes"] < 8


def test_longer_turns_are_fused() -> None:
    x = np.ones(N)
    np.flush()
    np.reset_stats()
    for _ in range(10):
        y = ((x * 2.0 + 1.0) * x - x) * 0.5 + x
        assert float(y[3]) == 2.0
    stats = np.stats()
    assert stats["flushes"] == 10
    assert stats["contracted"] >= 10 * 5 - 3, "the first turn may begin in the habit of the last"


def test_an_unread_loop_is_fused_after_short_turns() -> None:
    x = np.ones(N)
    for _ in range(5):
        assert float((x * 2.0)[0]) == 2.0
    np.flush()
    np.reset_stats()
    for _ in range(1000):
        x = x * 0.5 + 0.5
    assert float(x[N - 1]) == 1.0
    assert np.stats()["direct"] <= 4


def test_reads_of_other_arrays_do_not_count() -> None:
    x, steps = np.ones(N), np.ones(1000) * 0.5
    np.flush()
    np.reset_stats()
    for k in range(1000):
        x = x * float(steps[k]) + 0.5
    assert float(x[N - 1]) == 1.0
    assert np.stats()["direct"] == 0


def test_setting_zero_means_never() -> None:
    x = np.ones(N)
    with np.config(direct_elements=0):
        for _ in range(10):
            assert float((x + x)[1]) == 2.0
    assert np.stats()["direct"] == 0


def program(xp: Any, a: Any, b: Any, f: Any) -> list[Any]:
    return [
        a + b,
        a * 2,
        xp.sqrt(f),
        f.astype("float32"),
        f[::-1] + f,
        f.sum(),
        (f * f).sum(),
        (a - b).max(),
        f.reshape(-1, 1) * f[:3],
        f == b,
    ]


@pytest.mark.parametrize("n", [65, 127, 128, 300, 513, 1000, 1023, 1024, 1025, 2000])
@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "complex64"])
def test_bits(n: int, dtype: str) -> None:
    """Of each operation read at once: as NumPy's, and as when it had waited."""
    seed = numpy.random.default_rng(n)
    values = [seed.integers(-9, 9, n).astype(dtype) for _ in range(2)] + [seed.uniform(0, 9, n)]
    exact = [numpy.asarray(x) for x in program(numpy, *values)]
    for _ in range(3):
        ours = [np.array(x) for x in values]
        np.flush()
        found = [numpy.asarray(x).copy() for x in read_at_once(ours)]
        with np.config(direct_elements=0):
            waited = [numpy.asarray(x) for x in program(np, *ours)]
        for one, other, theirs in zip(found, waited, exact, strict=True):
            assert one.dtype == other.dtype == theirs.dtype
            numpy.testing.assert_array_equal(one, other)
            numpy.testing.assert_allclose(one, theirs, rtol=1e-12)


def read_at_once(inputs: list[Any]) -> list[Any]:
    found = []
    for k in range(10):
        for _ in range(4):  # until it is a habit
            numpy.asarray(inputs[2] + 1.0)
        found.append(numpy.asarray(program(np, *inputs)[k]))
    return found
