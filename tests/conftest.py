"""What tests count does not depend on the tests that ran before them in the process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

import hassium
from scripts import script
from simd_levels import LEVELS


def pytest_configure() -> None:
    """Programs that are planned anew again and again, as in tests, would keep later ones from
    recording."""
    hassium.config(recording_backoff="off")


_warned: list[str] = []


def pytest_warning_recorded(warning_message: Any, nodeid: str) -> None:
    """Notes warnings that the configuration does not turn into errors."""
    if issubclass(warning_message.category, RuntimeWarning):
        _warned.append(f"{nodeid}: {warning_message.message}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for warned in _warned:
        terminalreporter.write_line(f"WARNED {warned}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A RuntimeWarning that no test expects fails the session."""
    if _warned and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(params=LEVELS)
def simd_level(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set in turn; nothing runs at the call."""
    with hassium.config(simd=request.param, eager_elements=0):
        yield request.param


@pytest.fixture
def cold_cache() -> Iterator[None]:
    """An empty merge cache, counters at zero, every product verified; nothing runs at the call."""
    hassium.flush()
    hassium.cache_clear()
    with hassium.config(eager_elements=0, verify=True):
        hassium.reset_stats()
        yield
        hassium.flush()
    hassium.cache_clear()


THREAD_OF_A_CHILD = """
import os, threading
forked = threading.Event()
other = threading.Thread(target=forked.wait)
other.start()
child = os.fork()
if child == 0:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    os._exit(0)
forked.set()
print(os.waitpid(child, 0)[1])
"""


@pytest.fixture(scope="session")
def threads_in_children() -> None:
    """Skips where the forked child of a process with threads cannot start one of its own."""
    if script(THREAD_OF_A_CHILD) != ["0"]:
        pytest.skip("a forked child cannot start threads here: qemu-user 7.2 aborts it")


LIMIT = """
import mmap, resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    mmap.mmap(-1, 2 << 30)
except OSError:
    print("refused")
"""


@pytest.fixture(scope="session")
def limited_memory() -> None:
    """Skips where a process that limits its memory is not held to that."""
    if "san.so" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("a sanitizer needs more address space than that")
    if script(LIMIT) != ["refused"]:
        pytest.skip("the limit of memory has no effect here: qemu-user sets none")
