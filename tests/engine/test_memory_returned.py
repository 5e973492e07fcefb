"""Memory of arrays that died goes back to the system; a running loop keeps what it needs.

Idleness is waited for until the pool keeps nothing; what is compared is bytes and page faults.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

import hassium as np
from scripts import script

DEADLINE = 60  # seconds: a machine under load may take longer than the second or two it should


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def wait_until_returned(limit: int = DEADLINE) -> int:
    """Bytes still kept after the program has used nothing for a while."""
    end = time.monotonic() + limit
    while np.stats()["bytes_kept"] and time.monotonic() < end:
        time.sleep(0.1)
    return int(np.stats()["bytes_kept"])


def fill(arrays: int, elements: int) -> int:
    """Makes and drops arrays; the bytes they had."""
    kept = [np.ones(elements) * float(k) for k in range(arrays)]
    np.flush()
    size = sum(a.nbytes for a in kept)
    del kept
    return size


def test_dead_arrays_are_returned_when_nothing_runs() -> None:
    np.trim()
    before = resident()
    size = fill(32, 1 << 22) + fill(400, 40_000)  # of the system's and of the C library's memory
    assert size > 1 << 30
    assert np.stats()["bytes_kept"] > size // 2
    assert wait_until_returned() == 0
    assert resident() - before < size // 4


def test_trim_returns_them_at_once() -> None:
    size = fill(8, 1 << 22)
    assert np.stats()["bytes_kept"] >= size // 2
    before = resident()
    np.trim()
    assert np.stats()["bytes_kept"] == 0
    assert before - resident() > size // 2


def test_a_running_loop_asks_the_system_for_nothing() -> None:
    x = np.ones(1 << 21)
    end = time.monotonic() + 4.0  # several times as long as memory is held
    misses = None
    steps = 0
    while time.monotonic() < end:
        y = x * 2.0 + 1.0
        x = y - y[:1]
        np.flush()
        steps += 1
        if steps == 5:
            misses = np.stats()["pool_misses"]
    assert steps > 5
    assert np.stats()["pool_misses"] == misses


CHILD = """
import os, time
import pytest

import hassium as np
a = np.ones(1 << 22) * 2.0; np.flush(); del a
pid = os.fork()
if pid == 0:
    a = np.ones(1 << 22) * 3.0; np.flush(); del a
    end = time.monotonic() + 60
    while np.stats()["bytes_kept"] and time.monotonic() < end: time.sleep(0.1)
    os._exit(1 if np.stats()["bytes_kept"] else 0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.usefixtures("threads_in_children")
def test_a_child_of_fork_returns_its_own() -> None:
    assert script(CHILD) == ["0"]
