"""Threads, processes and interrupts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy
import pytest

import hassium as np
from scripts import PATIENCE


def test_two_threads_sharing_an_array_see_one_order() -> None:
    """A pending read here, an in-place write there: one of the two sequential results."""
    rounds = 10_000
    a = np.zeros(100)
    results: list[float] = []
    barrier = threading.Barrier(2)

    def writer() -> None:
        for _ in range(rounds):
            barrier.wait()
            a.__iadd__(1.0)
            barrier.wait()

    def reader() -> None:
        for _ in range(rounds):
            barrier.wait()
            pending = a * 2.0
            barrier.wait()
            results.append(float(pending[0]))

    with np.config(eager_elements=0):
        threads = [threading.Thread(target=f) for f in (writer, reader)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    for k, value in enumerate(results):
        assert value in (2.0 * k, 2.0 * (k + 1)), f"round {k}: {value}"
    assert float(a[0]) == rounds


def test_a_thread_that_waited_for_a_flush_finds_more_recorded() -> None:
    """What it waited for has run; what its owner recorded meanwhile is not part of that."""
    a = np.zeros(400_000)
    done = threading.Event()
    failures: list[BaseException] = []

    def reader() -> None:
        try:
            while not done.is_set():
                assert float(a.max()) >= 0
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=reader)
    thread.start()
    rounds = 60
    for _ in range(rounds):
        a.__iadd__(1.0)
        np.flush()
        a.__iadd__(1.0)
    done.set()
    thread.join()
    assert not failures
    assert float(a.max()) == 2 * rounds


@pytest.mark.parametrize("elements", [200, 400_000])
def test_threads_take_turns(elements: int) -> None:
    """One flushes its own queue, one makes it flush by reading: both get on."""
    a = np.zeros(elements)
    done = threading.Event()
    most, reads, rounds = 100_000, 0, 0

    def reader() -> None:
        nonlocal reads
        while not done.is_set() and reads < most:
            assert float(a.max()) >= 0
            reads += 1

    thread = threading.Thread(target=reader)
    thread.start()
    while (rounds < 400 or reads < 20) and rounds < most and reads < most:
        a.__iadd__(1.0)
        np.flush()
        a.__iadd__(1.0)
        rounds += 1
    done.set()
    thread.join()
    assert float(a.max()) == 2 * rounds
    assert max(rounds, reads) < most, f"{reads} reads, {rounds} rounds"


@pytest.mark.parametrize(("elements", "steps"), [(50_000, 300), (2_000_000, 3)])
def test_operands_of_two_other_threads_meet(elements: int, steps: int) -> None:
    """Waiting for one thread's work on an operand lets the other thread record on the other."""
    left, right = np.arange(elements) * 1.0, np.arange(elements) * 2.0
    np.flush()
    stopped = threading.Event()
    failed: list[Exception] = []

    def use(array: Any) -> None:
        while not stopped.is_set():
            _ = array * 3.0 + 1.0

    def add() -> None:
        try:
            for _ in range(steps):
                total = left + right
                assert left[5] == 5.0
            assert total[7] == 21.0
        except Exception as error:
            failed.append(error)
        stopped.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5 * PATIENCE)
    try:
        threads = [threading.Thread(target=use, args=(array,)) for array in (left, right)]
        threads.append(threading.Thread(target=add))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failed == []


def test_eight_threads_compute_alone() -> None:
    def work(k: int, out: dict[int, float]) -> None:
        x = np.arange(20_000, dtype=float) * k
        for _ in range(20):
            x = x * 0.5 + k
        out[k] = float(x.sum())

    found: dict[int, float] = {}
    threads = [threading.Thread(target=work, args=(k, found)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(8):
        x = numpy.arange(20_000, dtype=float) * k
        for _ in range(20):
            x = x * 0.5 + k
        assert found[k] == pytest.approx(float(x.sum()), rel=1e-12)


def test_array_of_an_ended_thread_is_readable() -> None:
    kept: list[object] = []

    def record() -> None:
        kept.append(np.ones(1000) * 3.0 + 1.0)

    t = threading.Thread(target=record)
    t.start()
    t.join()
    assert float(kept[0].sum()) == 4000.0  # type: ignore[attr-defined]


def _in_child(array: object, results: object) -> None:
    results.put(float((array * 2.0).sum()))  # type: ignore[operator,attr-defined]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_other_processes_compute(method: str) -> None:
    context = multiprocessing.get_context(method)
    results = context.Queue()
    pending = np.ones(100_000) + 1.0
    worker = context.Process(target=_in_child, args=(pending, results))
    worker.start()
    assert results.get(timeout=60) == 400_000.0
    worker.join(timeout=60)
    assert worker.exitcode == 0
    assert float(pending.sum()) == 200_000.0


INTERRUPTED = """
import signal
import hassium as np
# A process in the background of a shell begins with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
a = np.ones(1_000_000)
print("ready", flush=True)
try:
    while True:
        for _ in range(100):
            a = np.sin(a) + np.cos(a)
        np.flush()
except KeyboardInterrupt:
    pass
print(float((np.ones(1000) + 1.0).sum()))
print(a.shape, bool(np.isfinite(a).all()))
"""


def test_interrupt_during_a_long_flush_leaves_a_usable_interpreter() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert out.split("\n")[0] == "2000.0"
    assert "(1000000,) True" in out
