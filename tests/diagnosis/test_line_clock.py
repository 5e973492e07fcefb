"""The clock that samples the lines of a program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy
import pytest

from hassium.tools.diagnosis.line_clock import LineClock
from scripts import script

PATIENCE = 30.0  # seconds for a sample


@pytest.fixture
def clock() -> Iterator[LineClock]:
    made = LineClock()
    made.start()
    yield made
    made.stop()


def line_of(function: Callable[..., object], below: int) -> str:
    code = function.__code__  # type: ignore[attr-defined]
    return f"{__file__}:{code.co_firstlineno + below}"


def in_a_library(clock: LineClock, sampled: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not sampled() and time.monotonic() < end:
        numpy.vectorize(abs)(numpy.ones(20_000))


def test_time_in_a_library_is_that_of_the_calling_line(clock: LineClock) -> None:
    line = line_of(in_a_library, 3)
    in_a_library(clock, lambda: line in clock.seconds)
    found = clock.stop()
    assert found[line] > 0
    assert not any("numpy" in site for site in found)


def test_only_the_thread_that_started_it_is_sampled(clock: LineClock) -> None:
    def other() -> None:
        in_a_library(clock, lambda: bool(clock.seconds))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert not any(site == line_of(in_a_library, 3) for site in clock.stop())


def test_the_report_has_the_time_outside_of_loops() -> None:
    program = """
import hassium as np
import numpy

def library(seconds):
    import time
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        numpy.vectorize(abs)(numpy.ones(2000))

with np.explain() as report:
    library(0.2)
(line,) = [line for line in report.lines if line.outside]
print(line.site, line.share.operations)
"""
    assert script(program) == ["<string>:9", "0"]
