"""Contenders of a race: NumPy, hassium, hand-written loops, and compilers of array code.

A contender is a callable that runs a workload once and returns its results as NumPy arrays; the
reads of results are timed as well.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import hassium
from race import hand
from race.workload import Workload, bound

Run = Callable[[], Any]
RIVALS = ("numba", "numexpr", "jax")


class Refused(Exception):
    """A library cannot run the workload; the text says why."""


def installed() -> list[str]:
    return [name for name in RIVALS if importlib.util.find_spec(name)]


def as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def read(result: Any) -> list[Any]:
    return [numpy.asarray(part) for part in as_list(result)]


def numpy_run(work: Workload, inputs: Any) -> Run:
    code = bound(work.code, numpy)
    return lambda: read(code(*inputs))


def hassium_run(work: Workload, inputs: Any) -> Run:
    code = bound(work.code, hassium)
    own = [hassium.array(a) for a in inputs]
    hassium.flush()
    return lambda: read(code(*own))


def other_run(work: Workload, inputs: Any, setting: str) -> Run:
    """Returns a run of hassium with one setting changed."""
    name, _, value = setting.partition("=")
    run = hassium_run(work, inputs)

    def changed() -> Any:
        with hassium.config(**{name: value}):
            return run()

    return changed


def hand_run(work: Workload, inputs: Any, library: ctypes.CDLL, threads: list[int]) -> Run:
    if not work.hand:
        raise Refused("not written")
    buffers = list(work.buffers(inputs))
    call = hand.call(library, work.name, [*inputs, *buffers])

    def run() -> Any:
        call(threads[0])
        return buffers[: work.results]

    return run


def numba_run(work: Workload, inputs: Any) -> Run:
    import numba
    from numba.core.errors import NumbaError

    compiled = numba.njit(parallel=True, error_model="numpy")(bound(work.code, numpy))
    try:
        compiled(*inputs)
    except (NumbaError, TypeError, AttributeError, NotImplementedError, AssertionError) as error:
        raise Refused(repr(error).splitlines()[0]) from None
    return lambda: as_list(compiled(*inputs))


def numexpr_run(work: Workload, inputs: Any) -> Run:
    import numexpr

    if not work.expression:
        raise Refused("no single expression")
    names = dict(zip("abcdefg", inputs, strict=False))
    return lambda: [numexpr.evaluate(work.expression, local_dict=names)]


def jax_run(work: Workload, inputs: Any) -> Run:
    if work.assigns and not work.jax:
        raise Refused("assigns to slices")
    import jax

    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(bound(work.jax or work.code, jax.numpy))
    own = [jax.numpy.asarray(a) for a in inputs]
    try:
        compiled(*own)
    except (TypeError, IndexError) as error:  # shapes that depend on values
        raise Refused(repr(error).splitlines()[0]) from None
    return lambda: [numpy.asarray(part) for part in as_list(compiled(*own))]


class Threads:
    """Gives every library the same number of threads, as far as each allows it."""

    def __init__(self, rivals: list[str]) -> None:
        self.native = [1]
        self.rivals = rivals
        self.all = os.sched_getaffinity(0)

    def set(self, count: int) -> None:
        self.native[0] = count
        hassium.config(threads=count)
        if "numba" in self.rivals:
            import numba

            numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
        if "numexpr" in self.rivals:
            import numexpr

            numexpr.set_num_threads(count)

    def pin(self, name: str, count: int) -> None:
        """Restricts the process to `count` processors for JAX, whose pool cannot be resized."""
        if name != "jax":
            return
        allowed = set(sorted(self.all)[-count:])
        for task in Path("/proc/self/task").iterdir():
            try:
                os.sched_setaffinity(int(task.name), allowed)
            except ProcessLookupError:
                continue  # the thread has ended

    def unpin(self, name: str) -> None:
        self.pin(name, len(self.all))
