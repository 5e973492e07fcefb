"""Looking inside: what each flush recorded, how it was cut, and what ran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from hassium import _core

# A partitioner by name, or blocks as lists of instruction numbers in execution order.
Partitioner = str | Sequence[Sequence[int]]


class Text(str):
    """A product of one stage as stable text."""

    __slots__ = ()

    def dump(self) -> str:
        """The text itself."""
        return str(self)


class Flush(NamedTuple):
    """One flush: its Program, its Partition, and the LoopPlan of every block.

    `rewrites` has the program as recorded, under that name, and after each pass that changed it,
    under the name of the pass; it is empty where no pass did.
    """

    program: Text
    partition: Text
    plan: Text
    cache_hit: bool
    rewrites: tuple[tuple[str, Text], ...] = ()


# Captures under way, the innermost last: what each has so far, and how it captures.
_open: list[tuple[list[dict[str, Any]], bool]] = []


@contextmanager
def captured(merged: bool = False) -> Iterator[list[dict[str, Any]]]:
    """Fills the list, at the end of the body, with what each of its flushes did.

    What was recorded before runs first; the body's own operations run at its end. With `merged`
    flushes that differ in nothing but numbers are one, with their count. A capture around this one
    gets its flushes as well.
    """
    flushes: list[dict[str, Any]] = []
    _core.flush()
    if _open:
        _open[-1][0].extend(_core.stop_capture())
    _open.append((flushes, merged))
    _core.start_capture(merged)
    try:
        yield flushes
    finally:
        try:
            _core.flush()
        finally:
            flushes += _core.stop_capture()
            _open.pop()
            if _open:
                _open[-1][0].extend(flushes)
                _core.start_capture(_open[-1][1])


@contextmanager
def capture() -> Iterator[list[Flush]]:
    """``with capture() as flushes:`` fills the list with a `Flush` per flush of the body.

    What was recorded before is run first; the body's own operations are flushed at its end.
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

    Returns ``cost blocks optimal bound seconds``; blocks are lists of instruction numbers from 0,
    which ``partitioner`` may be as well: a partition that is checked and priced.
    ``unit`` is what ``bohrium`` counts, ``bytes`` or ``elements``; ``legality`` the rules that
    hold, ``full`` or ``paper``. An anytime partitioner returns the best it has after
    ``time_limit`` seconds. ``described`` adds ``description``: what each block reads, writes and
    contracts, the bytes that each instruction touches and moves, dependencies between instructions
    and forbidden pairs of blocks. Raises ValueError
    for a malformed program, an unknown name, a negative limit or a partition that is not legal.
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
    """What a partition costs that is given as lists of instruction numbers in execution order.

    ValueError when it is not legal.
    """
    return float(partition(text, blocks, cost_model, unit=unit, legality=legality)["cost"])


def instance(
    text: str, cost_model: str = "bohrium", *, unit: str = "bytes", legality: str = "full"
) -> dict[str, Any]:
    """A program as an abstract instance: ``size dependencies forbidden constant nets``.

    A partition costs ``constant`` and, for every net ``(weight, instructions)``, its weight times
    the number of blocks that it touches less one. What ``machine`` charges beyond is left out.
    """
    return _core.wsp_instance(text, cost_model, unit, legality)


def dump(
    text: str, partitioner: Partitioner = "greedy", cost_model: str = "bohrium"
) -> dict[str, str]:
    """Dumps of a text program after every stage: ``program partition plan``."""
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
    """How long the blocks of a text program take, without partitioning and making their code."""
    return _core.program_run(text, partitioner, cost_model, "tile")[1]


def generators(
    text: str, segmentation: str = "auto", tiles: Sequence[Sequence[int]] = ()
) -> dict[str, str]:
    """Takes the generators of one array through the phases; the dump after each, by its name.

    The phases are ``generators cubes splitting tiling merging optimisation fitting``; the page
    docs/withloops.md describes the text and the dumps. ``segmentation`` says what runs as one nest:
    ``all`` cubes, each of the ``cubes``, each of the ``generators``, or ``auto``, the first of
    these that keeps the nest small. ``tiles`` has the extents of each level of tiles, the outermost
    level first. Raises ValueError for a malformed text, an unknown name, or a nest that is too
    large.
    """
    return _core.generator_phases(text, segmentation, tiles)


def piecewise_writes(text: str) -> list[dict[str, Any]]:
    """The arrays that a program in text form writes piecewise.

    Each is a dict of ``base instructions strides generators``: the writes of one base that may run
    as one nest, in place of the last of them. ``generators`` is the text of their set, which
    `generators` takes through the phases; operation ``i3`` is instruction 3. ``strides`` are the
    bytes of the base along each axis of the set.
    """
    return _core.piecewise_writes(text)
