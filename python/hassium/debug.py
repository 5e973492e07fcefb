"""Looking inside: what each flush recorded, how it was cut, and what ran."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NamedTuple

from hassium import _core


class Text(str):
    """A product of one stage as stable text."""

    __slots__ = ()

    def dump(self) -> str:
        """The text itself."""
        return str(self)


class Flush(NamedTuple):
    """One flush: its Program, its Partition, and the LoopPlan of every block."""

    program: Text
    partition: Text
    plan: Text
    cache_hit: bool


class capture:
    """``with capture() as flushes:`` fills the list with a `Flush` per flush of the body.

    What was recorded before is run first; the body's own operations are flushed at its end.
    """

    def __init__(self) -> None:
        self._flushes: list[Flush] = []

    def __enter__(self) -> list[Flush]:
        _core.flush()
        _core.start_capture()
        return self._flushes

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            _core.flush()
        finally:
            for raw in _core.stop_capture():
                self._flushes.append(
                    Flush(
                        Text(raw["program"]),
                        Text(raw["partition"]),
                        Text(raw["plan"]),
                        raw["cache_hit"],
                    )
                )


def partition(
    text: str, partitioner: str = "greedy", cost_model: str = "bohrium"
) -> dict[str, Any]:
    """Partitions a program in text form exactly as written.

    Returns ``cost blocks optimal bound``; blocks are lists of instruction numbers from 0. Raises
    ValueError for a malformed program, partitioner or cost model.
    """
    return _core.wsp_partition(text, partitioner, cost_model)


def dump(text: str, partitioner: str = "greedy", cost_model: str = "bohrium") -> dict[str, str]:
    """Dumps of a text program after every stage: ``program partition plan``."""
    return _core.program_dump(text, partitioner, cost_model)


def run(
    text: str,
    partitioner: str = "greedy",
    cost_model: str = "bohrium",
    executor: str = "tile",
) -> dict[str, tuple[str, bytes]]:
    """Runs a text program; input bases are filled from their names by a fixed generator.

    Returns ``{base: (dtype, bytes)}`` for every base that is not deleted.
    """
    return _core.program_run(text, partitioner, cost_model, executor)
