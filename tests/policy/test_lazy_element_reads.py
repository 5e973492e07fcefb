"""Elements of pending arrays that nobody asks the value of: they stay where they are."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium as np
from scripts import script

N = 300


@pytest.fixture(autouse=True)
def all_deferred() -> Iterator[None]:
    with np.config(lazy_scalars="on"):
        np.reset_stats()
        yield
        np.flush()


def pending(xp: Any, n: int = N, dtype: str = "f8") -> Any:
    return (xp.arange(n) + 2).astype(dtype) * xp.ones(n, dtype)


def swap(xp: Any) -> Any:
    x = pending(xp)
    t = x[3]
    x[3] = x[7]
    x[7] = t
    return x


def rims(xp: Any) -> Any:
    u = xp.linspace(0.0, 1.0, N)
    for _ in range(20):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = u[-2]
    return u


def outlives_a_write(xp: Any) -> Any:
    u = pending(xp)
    k, last = u[5], u[-1]
    u *= 3.0
    u[5] = -1.0
    return k, u, k * u, u - k, last


def outlives_a_flush(xp: Any) -> Any:
    u = pending(xp)
    k = u[5]
    assert u.sum() == sum(range(2, N + 2))
    u *= 3.0
    return k, u, k + 1.0


def elimination(xp: Any) -> Any:
    a = xp.arange(10000.0).reshape(100, 100) % 17 + 100 * xp.eye(100)
    for k in range(99):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k].copy().reshape(-1, 1) * a[k, k + 1 :]
    return a


def rows_by_their_pivots(xp: Any) -> Any:
    """What is written holds the number."""
    a = xp.arange(400.0).reshape(20, 20) * 1.0 + 50 * xp.eye(20)
    for k in range(19):
        a[k] /= a[k, k]
        a[k + 1 :] -= a[k + 1 :, k, None] * a[k]
    return a


def parts_of_a_complex_one(xp: Any) -> Any:
    z = pending(xp, dtype="c16") * (1 + 2j)
    w = z[4]
    return w.real * xp.ones(N), w.imag, w.conj() * z, abs(w), z * w


def reduced_and_joined(xp: Any) -> Any:
    z = pending(xp)
    w = z[4]
    joined = xp.stack([w, w, z[0]]), xp.array([w, z[1]]), xp.full(100, w), xp.where(z > 3, w, z)
    return xp.add.reduce(w), w.sum(), xp.cumsum(w), *joined


def without_its_array(xp: Any) -> Any:
    z = pending(xp)
    w, v = z[4], z[5]
    del w
    z += 1.0
    del z
    return v


def of_other_dtypes(xp: Any) -> Any:
    w = pending(xp, dtype="f4")[4]
    v = pending(xp, dtype="f2")[4]
    return w * xp.ones(N, "f4"), w * xp.arange(N), w * 2, w + 1j, v * xp.ones(N, "f4"), v + w


def into_its_own_array(xp: Any) -> Any:
    z = pending(xp)
    w = z[4]
    xp.multiply(z, w, out=z)
    z[z > 20.0] = w
    z[[1, 2, 4]] = w
    z[7:9] = w
    return z, w


def lists(found: Any) -> Any:
    if isinstance(found, tuple):
        return [lists(part) for part in found]
    known = numpy.asarray(found)
    return known.dtype, known.tolist()


PROGRAMS = [
    swap, rims, outlives_a_write, outlives_a_flush, elimination, rows_by_their_pivots,
    parts_of_a_complex_one, reduced_and_joined, without_its_array, of_other_dtypes,
    into_its_own_array,
]  # fmt: skip
SETTINGS = [
    {"eager_elements": few, "queue_instructions": queue, "background_flush": aside, "threads": 2}
    for few, queue, aside in itertools.product((0, 64), (1, 3, 4096), ("off", "on"))
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_those_of_the_time_of_reading(program: Callable[[Any], Any]) -> None:
    wanted = lists(program(numpy))
    for settings in SETTINGS:
        with np.config(**settings):
            for _ in range(2):
                assert lists(program(np)) == wanted, settings


def flushes(run: Callable[[], Any]) -> int:
    np.flush()
    before = np.stats()["flushes"]
    run()
    return int(np.stats()["flushes"] - before)


def test_reading_runs_nothing() -> None:
    with np.config(eager_elements=0, queue_instructions=65_536):
        assert flushes(lambda: rims(np)) == 0
        with np.config(lazy_scalars="off"):
            assert flushes(lambda: rims(np)) == 20


def test_no_instruction_is_made_of_a_number_that_is_used_in_time() -> None:
    x = pending(np)
    np.flush()
    np.reset_stats()
    x[1:] *= 2.0
    x[200:] /= x[3]
    assert np.stats()["instructions"] == 2
    assert float(x[3]) == 10.0


FAILING = """
import resource
import hassium as np
limit = 3 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
with np.config(lazy_scalars="on"):
    x = (np.arange(300.0) + 2.0) * np.ones(300)
    k = x[3]
    x += k
    last = x[-1]
    table = x[:1, None] + np.ones(1 << 15)[:, None] * np.ones(1 << 14) + last
    x += 1.0
    try:
        np.flush()
    except MemoryError:
        table = None
    print(float(k), float(last), float(x[3]))
"""


@pytest.mark.usefixtures("limited_memory")
def test_a_failed_flush_loses_no_number() -> None:
    assert script(FAILING) == ["5.0", "306.0", "11.0"]


def test_other_threads_find_its_value() -> None:
    x = pending(np)
    k = x[3]
    found: list[float] = []

    def look() -> None:
        found.append(float(k * 2.0))
        x[3] = 7.0

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [10.0]
    assert [float(k), float(x[3])] == [5.0, 7.0]


def test_a_child_of_fork_has_its_own() -> None:
    x = pending(np)
    k = x[3]
    child = os.fork()
    if child == 0:
        x *= 2.0
        os._exit(0 if float(k) == 5.0 and float(x[3]) == 10.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [float(k), float(x[3])] == [5.0, 5.0]


def test_memory_that_is_handed_out_ends_it() -> None:
    x = pending(np)
    k = x[3]
    view = numpy.asarray(x)
    view[3] = 9.0
    assert [float(k), float(x[3])] == [5.0, 9.0]


@pytest.mark.parametrize("write", ["put", "putmask"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_one_among_whole_numbers_is_looked_at(write: str, dtype: str) -> None:
    whole = np.zeros(3, "i8")
    getattr(np, write)(whole, [0, 1, 1], pending(np, dtype=dtype)[3])
    assert whole.tolist() == ([5, 5, 0] if write == "put" else [0, 5, 5])


def test_an_empty_index_reads_a_number() -> None:
    for take in (lambda k: k[()], lambda k: k.real[()], lambda k: k.T[()], lambda k: k.view()[()]):
        k = pending(np)[3]
        assert (take(k) * np.ones(2)).tolist() == [5.0, 5.0]


def test_an_array_can_be_resized() -> None:
    x = pending(np)
    k = x[3]
    x.resize(400)
    assert [float(k), float(x[3]), x.size] == [5.0, 5.0, 400]


def test_numbers_of_one_array_wait_at_a_time() -> None:
    """Else numbers that are kept would keep the arrays of all steps."""
    kept, u = [], pending(np, 100_000)
    np.flush()
    before = np.stats()["bytes_held"]
    for _ in range(20):
        u = u * 0.5
        kept.append(u[3])
    np.flush()
    after = np.stats()["bytes_held"]
    assert after - before < 5 * u.nbytes
    assert [float(k) for k in kept[:3]] == [2.5, 1.25, 0.625]


def test_who_reads_all_elements_waits_for_them() -> None:
    x = pending(np)
    kept = [x[k] for k in range(100)]
    assert sum(type(k) is numpy.float64 for k in kept) > 60
    assert [float(k) for k in kept] == list(range(2, 102))


def test_an_array_whose_writing_was_dropped_has_elements() -> None:
    x = np.empty(5000)
    w = x.copy()
    k = x[0]
    del w
    assert float(k) == float(x[0])


def test_numbers_calculate_as_numpys_do() -> None:
    values = numpy.random.default_rng(1).normal(size=(N, 2)).view("c16").ravel()
    with np.config(eager_elements=0):
        for i in range(0, N - 1, 7):
            x = np.array(values) * 1
            assert x[i] * x[i + 1] == values[i] * values[i + 1]


def test_what_is_pending_warns_before_others_raise() -> None:
    a = np.zeros(N) * np.ones(N)

    def squares() -> Any:
        b = a / a
        with np.errstate(all="raise"):
            return b * b

    with np.config(eager_elements=0), pytest.warns(RuntimeWarning, match="invalid value"):
        c = squares()
    assert numpy.isnan(float(c[0]))


def test_whole_numbers_are_read() -> None:
    x = np.arange(N) * 2
    assert type(x[3]) is numpy.int64


class TestBySite:
    """Reads are deferred where the calling code can only calculate with the number."""

    @pytest.fixture(autouse=True)
    def by_site(self) -> Iterator[None]:
        with np.config(lazy_scalars="auto", eager_elements=0):
            yield

    def test_an_operand(self) -> None:
        def step() -> Any:
            y = pending(np)
            y[1:] -= y[0]
            return y

        assert flushes(step) == 0

    def test_a_rim_of_the_same_array(self) -> None:
        def rim() -> None:
            y = pending(np)
            y[0] = y[1]

        assert flushes(rim) == 0

    def test_a_value_that_is_looked_at(self) -> None:
        assert flushes(lambda: float((pending(np) + 1.0)[0])) == 1

    def test_an_element_of_a_container(self) -> None:
        def keep() -> None:
            y, kept = pending(np), {}
            kept[0] = y[1]
            assert type(kept[0]) is numpy.float64

        assert flushes(keep) == 1
