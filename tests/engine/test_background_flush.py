"""Automatic flushes that run on a thread of their own while recording goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hassium as np
from raising import raised_by_handler
from scripts import script

N = 2000


@pytest.fixture(autouse=True)
def all_aside() -> Iterator[None]:
    """All automatic flushes go aside, and there are many."""
    with np.config(background_flush="on", threads=2, eager_elements=0, queue_instructions=64):
        np.reset_stats()
        yield
        np.flush()


def heat(xp: Any, steps: int) -> Any:
    u = xp.zeros((40, 50))
    u[0] = 1.0
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def relax(xp: Any, steps: int) -> Any:
    x = xp.linspace(0.0, 1.0, N)
    y = xp.zeros(N)
    for k in range(steps):
        y = y + 0.1 * (x - y) * (k % 3)
    return y


def shrink(xp: Any, steps: int) -> Any:
    """Other extents in every step: symbolic hits and misses go aside, too."""
    a = xp.arange(N) * 1.0
    for k in range(steps):
        a[k + 1 :] = a[k + 1 :] * 0.5 + a[k:-1] * 0.25
    return a


def count(xp: Any, steps: int) -> Any:
    """Sums per row that later steps use."""
    a = xp.arange(600).reshape(20, 30)
    for _ in range(steps):
        a = (a + a.sum(axis=1, keepdims=True)) % 1000
    return a


@pytest.mark.parametrize("program", [heat, relax, shrink, count])
@pytest.mark.parametrize("cached", [True, False])
def test_results_are_those_of_flushes_at_the_call(
    program: Callable[[Any, int], Any], cached: bool
) -> None:
    with np.config(cache=cached):
        np.reset_stats()
        for _ in range(3):
            found = numpy.asarray(program(np, 60))
            numpy.testing.assert_array_equal(found, program(numpy, 60))
        assert np.stats()["background_flushes"] > 3
    with np.config(background_flush="off"):
        np.reset_stats()
        numpy.testing.assert_array_equal(numpy.asarray(program(np, 60)), found)
        assert np.stats()["background_flushes"] == 0


def test_known_flushes_that_take_a_while_go_aside_on_their_own() -> None:
    with np.config(background_flush="auto", queue_instructions=4096):
        for _ in range(2000):  # where a core is wanted by others nothing goes aside for a second
            relax(np, 400)
            if np.stats()["background_flushes"] > 0:
                break
        assert np.stats()["background_flushes"] > 0
    with np.config(background_flush="auto", queue_instructions=4096, threads=1):
        np.reset_stats()
        for _ in range(3):
            relax(np, 400)
        assert np.stats()["background_flushes"] == 0


def test_products_that_other_threads_share_do_not_go_aside() -> None:
    """The threads of the library that computes them have the other core."""
    a = np.ones((400, 400))

    def products() -> None:
        for k in range(200):
            (a[:, k] @ a[:, k:]) * 2.0
        np.flush()

    with np.config(background_flush="auto"):
        products()
        np.reset_stats()
        for _ in range(20):
            products()
    stats = np.stats()
    assert stats["background_flushes"] == 0
    assert stats["flushes"] > 100, "most were automatic flushes"


def test_what_is_aside_can_be_read_written_and_deleted() -> None:
    a, model = np.arange(N) * 1.0, numpy.arange(N) * 1.0
    for k in range(400):
        b = a * 2.0
        a = b - a * 0.5
        model = model * 2.0 - model * 0.5
        if k % 37 == 0:
            assert a[k] == model[k]
        if k % 41 == 0:
            a[3] = model[3] = float(k)
        if k % 43 == 0:
            view = numpy.asarray(a)
            view[5] = model[5] = 7.0
            del view
        if k % 97 == 0:
            a, model = np.arange(N) * 1.0, numpy.arange(N) * 1.0
        del b
    numpy.testing.assert_array_equal(numpy.asarray(a), model)
    assert np.stats()["background_flushes"] > 3


def test_warnings_are_told_once() -> None:
    def program() -> Any:
        a = np.zeros(N)
        for k in range(200):
            a = 1.0 / a if k == 20 else a + 0.0
        return a

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program().sum().item()
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    assert np.stats()["background_flushes"] > 0


REPORTING = """
import sys, warnings, hassium as np

np.config(background_flush="on", threads=2, eager_elements=0, queue_instructions=1)
heard, x = 0, np.arange(20_000.0)

def hook(*about):
    global heard
    heard += 1
    assert float((np.ones(100) * heard).sum()) == 100 * heard
    if sys.argv[1] == "raises":
        raise ValueError

warnings.simplefilter("always")
warnings.showwarning = hook
for k in range(20):
    try:
        y = x / 0 + k
        z = y * 2
        np.flush()
    except ValueError:
        pass
np.flush()
print(heard)
"""


@pytest.mark.parametrize("hook", ["returns", "raises"])
def test_what_hears_of_a_warning_may_flush(hook: str) -> None:
    """The thread that reports has no turn that what it runs would wait for."""
    heard = script(REPORTING, hook)
    assert int(heard[0]) >= 20


def test_a_warning_that_raises_is_raised_once_and_nothing_is_lost() -> None:
    a, raised = np.zeros(N), 0
    b = np.ones(N)
    with raised_by_handler():
        for k in range(200):
            try:
                a = 1.0 / a if k == 20 else a + 0.0
                b += 1.0
            except RuntimeWarning:
                raised += 1
        try:
            np.flush()
        except RuntimeWarning:
            raised += 1
    assert raised == 1
    assert numpy.isin(float(b[0]), (200.0, 201.0))
    assert float(a[0]) == numpy.inf


LIMITED = """
import resource
import hassium as np
np.config(background_flush="on", threads=2, eager_elements=0, queue_instructions=8)
kept = np.arange(1000.0) * 2.0
limit = 3 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
big = np.ones(10)
failed = 0
for k in range(40):
    try:
        kept += 1.0
        if k == 20:
            big = np.ones((1 << 15, 1)) * np.ones(1 << 14) + 1.0
        if k == 30:
            float(big[0].max())
    except MemoryError as error:
        failed += 1
        big = None
print(failed > 0, float(kept.sum()) - 999000.0)
print(np.stats()["background_flushes"] > 0)
"""


@pytest.mark.usefixtures("limited_memory")
def test_a_flush_aside_that_failed_for_want_of_memory_is_told_and_made_up_for() -> None:
    assert script(LIMITED) == ["True", "40000.0", "True"]


def test_other_threads_wait_for_what_is_aside() -> None:
    rounds, failures, shared = 300, [], {"a": np.zeros(N)}
    done = threading.Event()

    def reader() -> None:
        try:
            last = 0.0
            while not done.is_set():
                now = float(shared["a"][7])
                assert last <= now <= rounds
                last = now
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=reader)
    thread.start()
    for _ in range(rounds):
        shared["a"] += 1.0
    done.set()
    thread.join()
    assert not failures
    assert float(shared["a"].sum()) == rounds * N


def test_threads_share_the_one_thread_aside() -> None:
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        x = np.arange(N) * float(k)
        for _ in range(200):
            x = x * 0.5 + k
        found[k] = x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(4):
        x = numpy.arange(N) * float(k)
        for _ in range(200):
            x = x * 0.5 + k
        numpy.testing.assert_array_equal(numpy.asarray(found[k]), x)


def test_a_job_of_an_ended_thread_does_not_keep_the_thread_aside() -> None:
    def work() -> None:
        x = np.arange(N) * 1.0
        for _ in range(100):
            x = x * 0.5 + 1.0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    before = np.stats()["background_flushes"]
    assert before > 0
    relax(np, 100)
    assert np.stats()["background_flushes"] > before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.usefixtures("threads_in_children")
def test_fork_waits_for_what_is_aside_and_the_child_has_a_thread_of_its_own() -> None:
    a = relax(np, 70)
    child = os.fork()
    if child == 0:
        ok = False
        try:
            ok = bool((numpy.asarray(relax(np, 70)) == numpy.asarray(a)).all())
        finally:
            os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    numpy.testing.assert_array_equal(numpy.asarray(a), relax(numpy, 70))


@pytest.mark.parametrize("steps", [50, 400])
def test_a_program_may_end_while_a_flush_is_aside(steps: int) -> None:
    program = f"""
import hassium as np
np.config(background_flush="on", threads=2, queue_instructions=64)
a = np.zeros(100_000)
for _ in range({steps}):
    a = a + 1.0
"""
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, timeout=120, check=False
        )
        assert (run.returncode, run.stderr) == (0, b"")


def test_explain_shows_what_follows_what_is_aside() -> None:
    a = relax(np, 70)
    with np.explain() as report:
        b = a + 1.0
        np.flush()
    assert "b = a + 1.0" in str(report)
    numpy.testing.assert_array_equal(numpy.asarray(b), relax(numpy, 70) + 1.0)
