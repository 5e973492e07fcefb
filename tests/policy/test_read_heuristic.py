"""Programs that read after every few operations run them at the call, on arrays not quite small."""

from __future__ import annotations

from collections.abc import Callable
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
    assert stats["eager_instructions"] > 2 * 15
    assert stats["flushes"] < 8


@pytest.mark.parametrize(
    ("size", "most"), [(600, 8), (1000, 8), (2000, 8), (4000, 2), (9000, 1), (16_000, 1)]
)
def test_the_longer_the_array_the_shorter_the_turns_at_the_call(size: int, most: int) -> None:
    x = np.ones(size)
    for operations in range(1, 13):
        np.flush()
        np.reset_stats()
        for _ in range(20):
            y = x
            for _ in range(operations):
                y = y * 0.5
            assert float(y[3]) == 0.5**operations
        stats = np.stats()
        if operations <= most:
            assert stats["eager_instructions"] >= 16 * operations
        else:
            assert stats["flushes"] >= 16
            assert stats["contracted"] >= 16 * (operations - 1), "they are fused"


def test_elements_that_could_have_stayed_pending_count_as_read() -> None:
    x = np.ones(N)
    np.flush()
    total = 0.0
    for _ in range(20):
        y = x * 2.0
        number = y[3]
        total += float(number)
    assert total == 40.0
    assert np.stats()["flushes"] < 8


def test_a_number_that_was_put_into_an_array_is_read_there() -> None:
    """As in the Gram-Schmidt process."""
    q, a, r = np.ones((N, 3)), np.ones((N, 40)), np.zeros((3, 40))
    np.flush()
    np.reset_stats()
    for j in range(40):
        r[1, j] = np.dot(q[:, 1], a[:, j])
        a[:, j] -= q[:, 1] * r[1, j]
    stats = np.stats()
    assert stats["eager_instructions"] >= 3 * 36
    assert float(a[0, 39]) == 1.0 - N


def test_what_pending_work_only_reads_is_read_without_a_flush() -> None:
    x, table = np.ones(N), np.arange(50.0)
    index, sums = np.arange(5), np.zeros(N)
    np.flush()
    np.reset_stats()
    for k in range(25):
        sums += x * table[k] + table[0]
        taken = table[index]
        assert float(taken[1]) == table[1] == table.item(1) == 1.0
        assert table[k : k + 1].tolist() == [k]
    y = table * 2.0  # and of something that is read by what is pending
    assert table[3] == 3.0
    assert f"{table[4:5]}" == "[4.]"
    assert np.stats()["flushes"] == 0
    table[3] = -1.0  # behind the pending reader
    assert table[3] == -1.0
    assert float(y[3]) == 6.0
    assert float(sums[0]) == sum(range(25))


def test_an_unread_loop_is_fused_after_short_turns() -> None:
    x = np.ones(N)
    for _ in range(5):
        assert float((x * 2.0)[0]) == 2.0
    np.flush()
    np.reset_stats()
    for _ in range(1000):
        x = x * 0.5 + 0.5
    assert float(x[N - 1]) == 1.0
    assert np.stats()["eager_instructions"] <= 4


def test_reads_of_other_arrays_do_not_count() -> None:
    x, steps = np.ones(N), np.ones(1000) * 0.5
    np.flush()
    np.reset_stats()
    for k in range(1000):
        x = x * float(steps[k]) + 0.5
    assert float(x[N - 1]) == 1.0
    assert np.stats()["eager_instructions"] == 0


def test_setting_zero_means_never() -> None:
    x = np.ones(N)
    with np.config(eager_elements=0):
        np.reset_stats()
        for _ in range(10):
            assert float((x + x)[1]) == 2.0
    assert np.stats()["eager_instructions"] == 0


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


def by_rows(xp: Any, a: Any, b: Any, f: Any) -> list[Any]:
    """The same values as rows and as a box, in all directions."""
    rows, others = (x[: len(x) // 8 * 8].reshape(8, -1) for x in (a, f))
    box = f[: len(f) // 12 * 12].reshape(4, -1, 3)
    turned = xp.asfortranarray(rows)
    return [
        rows.sum(axis=0),
        rows.sum(axis=1),
        rows.sum(),
        others.max(axis=0, keepdims=True),
        others.T.sum(axis=0),
        others[:, ::2].sum(axis=1),
        xp.subtract.reduce(others, axis=0),
        xp.subtract.reduce(others, axis=1),
        (others > 4).all(axis=1),
        box.sum(axis=0),
        box.sum(axis=1),
        box.sum(axis=2),
        box.sum(axis=(0, 1)),
        box.sum(axis=(0, 2)),
        box.sum(axis=(1, 2)),
        box.mean(axis=2),
        rows.argmax(axis=0),
        rows.argmin(axis=1),
        others.argmax(),
        box.argmin(axis=1),
        others.T.argmax(axis=1),
        box[:, ::-1].argmax(axis=1),
        rows.T.copy(),
        turned + rows,
        turned * 2,
        rows.T + others.T,
        rows[::-1, ::-1] - others,
        rows + others[:, :1],
        rows * others[0],
        box.transpose(2, 0, 1) * 2.0,
        box.transpose(1, 2, 0).copy(),
        xp.where(rows.T > 0, others.T, rows[0, 0]),
        rows.astype("complex128").T + 1,
        xp.cumsum(f),
        xp.cumsum(others, axis=0),
        xp.cumsum(box, axis=1),
        f[xp.arange(0, 40, 3)],
        others[:, xp.arange(5, 0, -1)],
    ]


@pytest.mark.parametrize("code", [program, by_rows])
@pytest.mark.parametrize("n", [65, 127, 128, 300, 513, 1000, 1023, 1024, 1025, 2000])
@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "complex64"])
def test_bits(code: Any, n: int, dtype: str) -> None:
    """Of each operation read at once: as NumPy's, and as when it had waited."""
    seed = numpy.random.default_rng(n)
    values = [seed.integers(-9, 9, n).astype(dtype) for _ in range(2)] + [seed.uniform(0, 9, n)]
    exact = [numpy.asarray(x) for x in code(numpy, *values)]
    ours = [np.array(x) for x in values]
    np.flush()
    found = read_at_once(code, ours, len(exact))
    with np.config(eager_elements=0):
        waited = [numpy.asarray(x) for x in code(np, *ours)]
    for one, other, theirs in zip(found, waited, exact, strict=True):
        assert one.dtype == other.dtype == theirs.dtype
        assert one.strides == other.strides
        numpy.testing.assert_array_equal(one, other)
        numpy.testing.assert_allclose(one, theirs, rtol=1e-12)


def read_at_once(code: Any, inputs: list[Any], results: int) -> list[Any]:
    found = []
    for k in range(results):
        for _ in range(4):  # until it is a habit
            numpy.asarray(inputs[2] + 1.0)
        found.append(numpy.asarray(code(np, *inputs)[k]))
    return found


@pytest.mark.parametrize(
    "code",
    [
        lambda x: x.sum(axis=0),
        lambda x: x.sum(axis=1),
        lambda x: x.argmax(axis=1),
        lambda x: x.T.copy(),
        lambda x: x.cumsum(axis=1),
        lambda x: x[::-1] + x.T,
        lambda x: x[np.arange(3)],
    ],
)
def test_read_at_once_runs_at_the_call(code: Any) -> None:
    x = np.ones((30, 30))
    for _ in range(5):
        assert float((x * 2.0)[0, 0]) == 2.0
    np.flush()
    np.reset_stats()
    for _ in range(20):
        numpy.asarray(code(x))
    assert np.stats()["flushes"] == 0


def half() -> Any:
    return np.array(numpy.random.default_rng(1).random(N))


READS: list[Callable[[Any], Any]] = [
    lambda x: int(x.argmax()),
    lambda x: float(x.sum()),
    lambda x: float(x.mean()),
    lambda x: bool((x > 0.5).any()),
    lambda x: complex(x.max()),
    lambda x: x.min().item(),
    lambda x: hash(x.max()),
    lambda x: f"{x.max():.3f}",
    lambda x: numpy.asarray(x.cumsum()),
    lambda x: numpy.asarray(x.reshape(100, 7).sum(axis=0)),
]


@pytest.mark.parametrize("read", READS)
def test_reading_a_scalar_is_a_habit_as_well(read: Callable[[Any], Any]) -> None:
    x = half()
    for _ in range(5):
        read(x)
    np.reset_stats()
    for _ in range(50):
        read(x)
    stats = np.stats()
    assert stats["flushes"] == 0
    assert stats["eager_instructions"] == stats["instructions"]


def test_copies_at_the_call_read_nothing() -> None:
    x, few = half(), np.ones(8)
    np.flush()
    np.reset_stats()
    for _ in range(100):
        twice = few * 2.0
        twice.copy()
        x = x * 0.5 + 0.5
    assert float(x[0]) > 0.0
    assert np.stats()["eager_instructions"] < 210, (  # the copies and the products
        "the first turns may follow the habit of an earlier test"
    )


def test_results_read_at_once_run_at_the_call_though_they_are_larger() -> None:
    x = np.ones(10_000)
    np.flush()
    np.reset_stats()
    for k in range(20):
        assert numpy.asarray(x * k).sum() == 10_000 * k
    assert np.stats()["eager_instructions"] >= 15
    np.reset_stats()
    for k in range(20):
        assert numpy.asarray(x * k + 1.0).sum() == 10_000 * (k + 1)
    assert np.stats()["eager_instructions"] <= 2, "two operations are fused"


def test_functions_of_larger_arrays_wait_for_threads() -> None:
    x = np.ones(10_000)
    np.flush()
    np.reset_stats()
    for _ in range(20):
        assert numpy.asarray(np.sin(x)).shape == (10_000,)
    assert np.stats()["eager_instructions"] == 0


def test_many_rows_that_are_one_line_run_at_the_call() -> None:
    x, line = np.ones((200, 20)), np.ones(20)
    np.flush()
    cases = ((x, 2.0, True), (2.0, 3.0, True), (line, 2.0, False), (x[::-1], 2.0, False))
    for other, wanted, direct in cases:
        for _ in range(5):  # until it is a habit
            float((line + 1.0)[0])
        np.reset_stats()
        assert float((x + other)[3, 4]) == wanted
        assert bool(np.stats()["eager_instructions"]) == direct
