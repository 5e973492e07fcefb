"""Introspection: what each flush recorded, how it was partitioned, and what ran."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from hassium import _core

# A partitioner by name, or blocks as lists of instruction numbers in execution order.
Partitioner = str | Sequence[Sequence[int]]


class Text(str):
    """The product of one stage, as stable text."""

    __slots__ = ()

    def dump(self) -> str:
        """Returns the text itself."""
        return str(self)


class Flush(NamedTuple):
    """One flush: its Program, its Partition, and the LoopPlan of every block.

    `rewrites` maps ``recorded`` and each pass that changed the program to the program after it; it
    is empty if no pass did.
    """

    program: Text
    partition: Text
    plan: Text
    cache_hit: bool
    rewrites: tuple[tuple[str, Text], ...] = ()


# Active captures, the innermost last: the entries of each so far, and whether it merges.
_open: list[tuple[list[dict[str, Any]], bool]] = []


class captured:
    """``with captured() as flushes:`` fills the list, at its end, with an entry per flush.

    Operations recorded before run first; the body's own operations run at its end. With `merged`,
    flushes that differ in numbers only share an entry, with their count. An enclosing capture gets
    these flushes as well. Earlier operations that lack memory stay pending: their MemoryError comes
    where their values are read.

    A class, so that the line of the program that enters and leaves it is the one that flushes.
    `seconds` is the time of the body, with the flush at its end.
    """

    def __init__(self, merged: bool = False) -> None:
        self._flushes: list[dict[str, Any]] = []
        self._merged = merged
        self._earlier: list[type[BaseException]] = []
        self.seconds = 0.0

    def __enter__(self) -> list[dict[str, Any]]:
        try:
            _core.flush()
        except MemoryError:
            self._earlier.append(MemoryError)  # which the flush at the end raises again
        if _open:
            _open[-1][0].extend(_core.stop_capture())
        _open.append((self._flushes, self._merged))
        _core.start_capture(self._merged)
        self._began = time.perf_counter()
        return self._flushes

    def __exit__(self, *error: object) -> None:
        try:
            with suppress(*self._earlier):
                _core.flush()
        finally:
            self.seconds = time.perf_counter() - self._began
            self._flushes += _core.stop_capture()
            _open.pop()
            if _open:
                _open[-1][0].extend(self._flushes)
                _core.start_capture(_open[-1][1])


@contextmanager
def capture() -> Iterator[list[Flush]]:
    """``with capture() as flushes:`` fills the list with a `Flush` per flush of the body.

    Operations recorded before run first; the body's own operations are flushed at its end.
    """
    flushes: list[Flush] = []
    raws: list[dict[str, Any]] = []
    try:
        with captured() as raws:
            yield flushes
    finally:
        for raw in raws:
            program, partition, plan = (Text(raw[name]) for name in Flush._fields[:3])
            rewrites = tuple((name, Text(text)) for name, text in raw["rewrites"])
            flushes.append(Flush(program, partition, plan, raw["cache_hit"], rewrites))


def partition(
    text: str,
    partitioner: Partitioner = "greedy",
    cost_model: str = "bohrium",
    *,
    unit: str = "bytes",
    legality: str = "full",
    time_limit: float = math.inf,
    described: bool = False,
) -> dict[str, Any]:
    """Partitions a program in text form exactly as written.

    Returns ``cost blocks optimal bound seconds``; blocks are lists of instruction numbers from 0.
    ``partitioner`` may be such a list as well: a partition to check and price. ``unit`` is what
    ``bohrium`` counts, ``bytes`` or ``elements``; ``legality`` selects the rules, ``full`` or
    ``paper``. An anytime partitioner returns the best partition it has after ``time_limit``
    seconds. ``described`` adds ``description``: what each block reads, writes and contracts, the
    bytes that each instruction touches and moves, dependencies between instructions and forbidden
    pairs of blocks. Raises ValueError for a malformed program, an unknown name, a negative limit or
    an illegal partition.
    """
    return _core.wsp_partition(text, partitioner, cost_model, unit, legality, time_limit, described)


def cost(
    text: str,
    blocks: Sequence[Sequence[int]],
    cost_model: str = "bohrium",
    *,
    unit: str = "bytes",
    legality: str = "full",
) -> float:
    """Returns the cost of a partition, given as lists of instruction numbers in execution order.

    Raises ValueError if it is not legal.
    """
    return float(partition(text, blocks, cost_model, unit=unit, legality=legality)["cost"])


def instance(
    text: str, cost_model: str = "bohrium", *, unit: str = "bytes", legality: str = "full"
) -> dict[str, Any]:
    """Returns a program as an abstract instance: ``size dependencies forbidden constant nets``.

    A partition costs ``constant`` and, for every net ``(weight, instructions)``, its weight times
    the number of blocks that it touches, less one. Additional charges of ``machine`` are left out.
    """
    return _core.wsp_instance(text, cost_model, unit, legality)


def dump(
    text: str, partitioner: Partitioner = "greedy", cost_model: str = "bohrium"
) -> dict[str, str]:
    """Returns dumps of a text program after every stage: ``program partition plan``."""
    return _core.program_dump(text, partitioner, cost_model)


def run(
    text: str,
    partitioner: Partitioner = "greedy",
    cost_model: str = "bohrium",
    executor: str = "tile",
) -> dict[str, tuple[str, bytes]]:
    """Runs a text program; input bases are filled from their names by a fixed generator.

    Returns ``{base: (dtype, bytes)}`` for every base that is not deleted. ``optimal`` searches for
    at most ``search_milliseconds``, as in the engine. ``partitioner`` may be a partition.
    """
    return _core.program_run(text, partitioner, cost_model, executor)[0]


def run_seconds(
    text: str, partitioner: Partitioner = "greedy", cost_model: str = "bohrium"
) -> float:
    """Returns the run time of the blocks of a text program, in seconds, without planning."""
    return _core.program_run(text, partitioner, cost_model, "tile")[1]


def generators(
    text: str, segmentation: str = "auto", tiles: Sequence[Sequence[int]] = ()
) -> dict[str, str]:
    """Runs the generators of one array through the phases; returns the dump after each, by name.

    The phases are ``generators cubes splitting tiling merging optimisation fitting``; the page
    docs/withloops.md describes the text and the dumps. ``segmentation`` selects what runs as one
    nest: ``all`` cubes, each of the ``cubes``, each of the ``generators``, or ``auto``, the first
    of these that keeps the nest small. ``tiles`` has the extents of each level of tiles, outermost
    first. Raises ValueError for a malformed text, an unknown name, or a nest that is too large.
    """
    return _core.generator_phases(text, segmentation, tiles)


def piecewise_writes(text: str) -> list[dict[str, Any]]:
    """Returns the arrays that a program in text form writes piecewise.

    Each is a dict of ``base instructions strides generators``: the writes of one base that may run
    as one nest, in place of the last of them. ``generators`` is the text of their set, which
    `generators` takes through the phases; operation ``i3`` is instruction 3. ``strides`` are the
    bytes of the base along each axis of the set.
    """
    return _core.piecewise_writes(text)
