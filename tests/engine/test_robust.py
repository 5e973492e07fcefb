"""What a long-lived program meets: threads at once, forks, interrupts, failures in mid-queue."""

from __future__ import annotations

import gc
import threading
import warnings
from pathlib import Path

import numpy
import pytest

import hassium as np
from raising import raised_by_handler
from scripts import script


def at_once(count: int, work: object) -> None:
    """Runs `work(k)` in as many threads and raises the first error that any of them had."""
    errors: list[BaseException] = []

    def guarded(k: int) -> None:
        try:
            work(k)  # type: ignore[operator]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_eight_threads_share_arrays() -> None:
    """Additions to one array commute, so the sum tells whether each ran once; views as well."""
    shared = np.zeros(3000)
    halves = shared[:1500], shared[1500:]
    lock = threading.Lock()

    def work(k: int) -> None:
        for turn in range(200):
            with lock:
                target = halves[(k + turn) % 2]
                target += 1.0
            if turn % 50 == k:
                assert float(shared.max()) >= 1.0

    with np.config(eager_elements=0):
        at_once(8, work)
        assert shared.tolist() == [800.0] * 3000


def test_eight_threads_change_settings_read_statistics_and_flush() -> None:
    def work(k: int) -> None:
        for turn in range(20):
            x = np.arange(500.0) + k
            if k == 0:
                np.config(threads=1 + turn % 2)
            elif k == 1:
                np.stats()
            elif k == 2:
                np.cache_clear()
            assert float((x * 2.0).sum()) == 500.0 * (499.0 + 2 * k)

    with np.config(threads=2):
        at_once(8, work)


INTERRUPTED = """
import os, signal, sys, threading
import hassium as np
np.config(threads=int(sys.argv[2]), partitioner=sys.argv[1], queue_instructions=1_000_000)
a, b, c = np.zeros(1_000_000), np.zeros(1_000_000), np.zeros(1_000_000)
np.flush()
# A process in the background of a shell begins with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
for k in range(int(sys.argv[3])):
    a = a + np.floor(np.exp(b * k))  # another one each time: equal ones are computed once
c += 1.0
np.reset_stats()
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    np.flush()
    print("finished")
except KeyboardInterrupt:
    print("stopped", np.stats()["blocks"])
print(float((np.ones(1000) + 1.0).sum()))
print(float(a.min()), float(a.max()), float(c.min()), float(c.max()), np.stats()["blocks"])
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("partitioner", "rounds"), [("greedy", 3000), ("singleton", 1000)])
def test_an_interrupt_stops_one_long_flush(partitioner: str, rounds: int, threads: int) -> None:
    """Most blocks are left to later flushes; and no addition is lost or made twice.

    A block that changes its own input in place is the exception: it runs to its end, because
    half of it could not be repeated.
    """
    words = script(INTERRUPTED, partitioner, str(threads), str(rounds))
    assert words[0] == "stopped", words
    assert words[2:-1] == ["2000.0", str(float(rounds)), str(float(rounds)), "1.0", "1.0"]
    at_the_stop, in_all = int(words[1]), int(words[-1])
    assert at_the_stop < in_all / 2


ACCUMULATING = """
import os, signal, sys, threading
import hassium as np
np.config(threads=int(sys.argv[1]), queue_instructions=65_536)
x = np.ones(8_000_000)
np.flush()
np.reset_stats()
signal.signal(signal.SIGINT, signal.default_int_handler)
for k in range(200):
    x = np.exp(x * -(1 + k * 1e-3))
c = np.cumsum(x) * 2.0
del x
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    np.flush()
    print("finished")
except KeyboardInterrupt:
    print("stopped", np.stats()["blocks"])
np.config(threads=2)
print(abs(float(c[-1] / c[0]) - 8e6) < 1e-3)
"""


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_interrupt_stops_an_accumulation(threads: int) -> None:
    """Its panels wait for each other; who was not begun is waited for by nobody."""
    assert script(ACCUMULATING, str(threads)) == ["stopped", "0", "True"]


RAISED = """
import resource
import hassium as np
def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
kept = np.arange(1000.0)
np.flush()
before = kept * 2.0
most = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (mapped() + (64 << 20), most))
big = np.ones(1 << 25) + 1.0
after = kept * 3.0
try:
    float(big[-1])
    print("enough")
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(float(before.sum()), float(big[-1]), float(big.max()), float(after.sum()))
"""


@pytest.mark.usefixtures("limited_memory")
def test_what_failed_for_want_of_memory_runs_when_there_is_some() -> None:
    words = script(RAISED)
    assert words == ["MemoryError", "999000.0", "2.0", "2.0", "1498500.0"]


SWEPT = """
import resource
import numpy
import hassium as np
def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
def steps(xp, u):
    kept = []
    for _ in range(4):
        kept.append(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
        u[1:-1, 1:-1] = kept[-1]
    return [u, *kept]
start = numpy.random.default_rng(1).random((2000, 2000))
np.config(threads=2)
u = np.array(start)
np.flush()
most = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (mapped() + (50 << 20), most))
found = steps(np, u)
try:
    np.flush()
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (most, most))
wanted = steps(numpy, start.copy())
print(all((numpy.asarray(a) == b).all() for a, b in zip(found, wanted)), np.stats()["sweeps"] > 0)
"""


@pytest.mark.usefixtures("limited_memory")
def test_a_sweep_that_failed_for_want_of_memory_loses_nothing() -> None:
    assert script(SWEPT) == ["MemoryError", "True", "True"]


def test_a_warning_that_raises_leaves_the_rest_of_the_queue() -> None:
    x = np.arange(1000.0)
    with np.config(eager_elements=0):
        with raised_by_handler():
            before = x + 1.0
            quotient = 1.0 / x
            after = x * 2.0
            with pytest.raises(RuntimeWarning, match="divide by zero"):
                np.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert float(before.sum()) == 500500.0
            assert float(after.sum()) == 999000.0
            assert float(quotient[0]) == numpy.inf
            assert float(quotient[4]) == 0.25


def test_an_error_of_the_user_between_operations_loses_nothing() -> None:
    x = np.zeros(1000)
    with np.config(eager_elements=0):
        for turn in range(100):
            x += 1.0
            with pytest.raises(ValueError, match="broadcast"):
                x += np.ones(turn + 2)
        assert x.tolist() == [100.0] * 1000


def test_a_hundred_thousand_instructions_in_one_queue() -> None:
    """Without the limit that would flush in between; `del` makes it twice as many. A loop with a
    period would be flushed before."""
    text = """
import random
import hassium as np
np.config(queue_instructions=1_000_000, eager_elements=0)
ups = random.Random(0).choices((True, False), k=100_000)
x = np.ones(100)
np.flush()
np.reset_stats()
for up in ups:
    x = x + 1.0 if up else x - 2.0
print(np.stats()["flushes"], float(x[0]) == 3 * sum(ups) - 199_999.0, np.stats()["flushes"])
"""
    assert script(text) == ["0", "True", "1"]


def test_cycles_of_pending_arrays_give_their_memory_back() -> None:
    class Node:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array
            self.itself = self
            self.pending = array * 2.0

    x = np.ones(100_000)
    np.flush()
    gc.collect()
    np.flush()
    held = np.stats()["bytes_held"]
    for turn in range(200):
        node = Node(x + float(turn))
        if turn % 2:
            assert float(node.pending[0]) == 2.0 * (1.0 + turn)
        del node
    gc.collect()
    np.flush()
    assert np.stats()["bytes_held"] <= held


@pytest.mark.parametrize("partitioner", ["singleton", "greedy"])
def test_the_memory_of_a_long_loop_does_not_grow(partitioner: str) -> None:
    def resident() -> int:
        (line,) = (
            line
            for line in Path("/proc/self/status").read_text().splitlines()
            if line.startswith("VmRSS")
        )
        return int(line.split()[1]) * 1024

    def loop(count: int) -> None:
        x = np.ones(10_000)
        for turn in range(count):
            x = x * 0.5 + x[::-1] * 0.5
            if turn % 10 == 0:
                float(x[0])

    with np.config(partitioner=partitioner):
        loop(500)
        before = resident()
        loop(3000)
        assert resident() - before < 16 << 20


def test_what_errstate_silences_stays_silent_beside_others() -> None:
    """In one block the processor's flag is taken for the operation that ignores the condition."""
    x = np.arange(1.0, 1001.0)
    inverse = 1.0 / x
    with numpy.errstate(divide="ignore"):
        poles = 1.0 / (inverse - 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(poles.sum()) == numpy.inf
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        assert float((1.0 / (inverse - 1.0)).sum()) == numpy.inf


ZEROS = """
import hassium as np

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

before = resident()
a = np.zeros(1 << 25)
a[5] = 1.0
print(float(a[5]), float(a[1 << 24]), resident() - before < 1 << 26)
b = np.full(1 << 25, 3.0)
np.flush()
del b
c = np.zeros(1 << 25)
np.flush()
print(float(c.sum()), float(a.sum()))
"""


def test_zeros_that_nobody_touches_take_no_memory() -> None:
    assert script(ZEROS) == ["1.0", "0.0", "True", "0.0", "1.0"]
