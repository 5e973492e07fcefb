"""Forks while threads record, wait and compute."""

from __future__ import annotations

import pytest

from scripts import script

FORKING = """
import os, threading
import hassium as np
stop = threading.Event()
def busy():
    while not stop.is_set():
        x = np.ones(50_000)
        for _ in range(20):
            x = x * 1.0 + 1.0
        assert float(x.sum()) == 50_000.0 * 21
thread = threading.Thread(target=busy)
thread.start()
pending = np.ones(10_000) * 3.0
good = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if float(pending.sum()) == 30_000.0 else 1)
    good += os.waitpid(child, 0)[1] == 0
stop.set()
thread.join()
print(good, float(pending.sum()))
"""


AROUND_FORK = """
import os, sys
numbers = []
def use():
    numbers.append(float((x * 2.0).sum()))
os.register_at_fork(before=use, after_in_parent=use, after_in_child=use)
import hassium as np
np.config(background_flush=sys.argv[1], queue_instructions=1)
x = np.arange(100_000.0) + 1.0
child = os.fork()
numbers.append(float((x * 3.0).sum()))
good = numbers == [10000100000.0, 10000100000.0, 15000150000.0]
if child == 0:
    os._exit(not good)
print(good, os.waitpid(child, 0)[1])
"""


@pytest.mark.usefixtures("threads_in_children")
@pytest.mark.parametrize("aside", ["off", "on"])
def test_hooks_between_the_announcement_of_a_fork_and_the_fork_compute(aside: str) -> None:
    """Those of other packages do, and handlers of signals."""
    assert script(AROUND_FORK, aside) == ["True", "0"]


TICKET_IN_FORK = """
import os, threading, time
def use():
    if "quick" in globals():
        assert float(quick.sum()) == 30.0
os.register_at_fork(before=use, after_in_parent=use, after_in_child=use)
import hassium as np
np.config(eager_elements=0, queue_instructions=100_000, background_flush="off")
recorded = threading.Event()
runs = threading.Event()
def owner():
    global slow, quick
    slow = np.ones(400_000)
    for k in range(1200):
        slow = np.exp(slow * -(1 + k * 1e-3))
    recorded.set()
    runs.wait()
    quick = np.ones(10) * 3.0
    float(slow[0])  # waits for the flush that the other thread runs
def other():
    recorded.wait()
    float(slow.sum())
threads = [threading.Thread(target=owner), threading.Thread(target=other)]
recorded_before = np.stats()["flushes"]
for thread in threads:
    thread.start()
while np.stats()["flushes"] == recorded_before:
    time.sleep(0.01)
runs.set()
while "quick" not in globals():
    time.sleep(0.01)
time.sleep(0.1)
child = os.fork()
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1], float(quick.sum()))
for thread in threads:
    thread.join()
"""


def test_a_thread_that_waits_for_a_fork_keeps_nobody_waiting() -> None:
    """Code that runs in the fork reads what that thread has recorded."""
    assert script(TICKET_IN_FORK, seconds=60) == ["0", "30.0"]


FORK_IN_FORK = """
import os, threading, time
inner = True
flushed = []
def fork_again():
    global inner
    if not inner:
        return
    inner = False
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    flushed.append(np.stats()["flushes"])
    time.sleep(0.2)
    flushed.append(np.stats()["flushes"])
os.register_at_fork(before=fork_again)
import hassium as np
stop = threading.Event()
def busy():
    while not stop.is_set():
        float((np.ones(50_000) * 2.0 + 1.0).sum())
thread = threading.Thread(target=busy)
thread.start()
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
stop.set()
thread.join()
print(flushed[1] - flushed[0])
"""


def test_a_fork_on_the_way_to_another_ends_only_itself() -> None:
    """No flush begins before the outer fork has taken place."""
    assert script(FORK_IN_FORK) == ["0"]


def test_forks_while_another_thread_computes() -> None:
    assert script(FORKING) == ["20", "30000.0"]
