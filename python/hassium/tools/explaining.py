"""``with hassium.explain() as told:`` what fused, what did not and why, by source line."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NamedTuple

from hassium import _core
from hassium.debug import captured


class Block(NamedTuple):
    """Instructions that shared a loop: their lines of text and where they come from."""

    instructions: list[str]
    sites: list[str]
    contracted: list[str]

    @property
    def operations(self) -> int:
        """How many of the instructions compute; the others end lives or ask for values."""
        return sum(line.split()[0] not in ("del", "sync") for line in self.instructions)


class Apart(NamedTuple):
    """Two instructions that may not share a loop, which kept two blocks apart."""

    first: int
    second: int
    reason: str
    first_line: str
    second_line: str


class FlushStory(NamedTuple):
    """One flush of the body."""

    program: str
    blocks: list[Block]
    apart: list[Apart]
    cache_hit: bool
    picture: str

    def text(self, number: int) -> str:
        """In words; blocks are numbered from 0 in the order in which they run."""
        operations = sum(block.operations for block in self.blocks)
        found = "found in the cache" if self.cache_hit else "planned anew"
        size = f"{counted(operations, 'operation')} in {counted(len(self.blocks), 'block')}"
        out = [f"flush {number}: {size}, {found}"]
        for k, block in enumerate(self.blocks):
            gone = f"; never in memory: {' '.join(block.contracted)}" if block.contracted else ""
            out.append(f"  block {k}: {counted(block.operations, 'operation')} in one loop{gone}")
            width = max(map(len, block.instructions), default=0)
            for line, site in zip(block.instructions, block.sites, strict=True):
                out.append(f"    {line:{width}}  {site}".rstrip())
        for pair in self.apart:
            blocks = f"blocks {pair.first} and {pair.second}"
            out += [f"  {blocks} stay apart: {pair.reason}", f"    {pair.first_line}"]
            out.append(f"    {pair.second_line}")
        return "\n".join(out)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def told_of(raw: dict[str, Any]) -> FlushStory:
    """What a captured flush did, and what kept its blocks apart."""
    from hassium.tools.wsp_picture import Picture, instruction_lines  # when asked for, as below

    text, sites, described = raw["program"], raw["sites"], raw["description"]
    lines = instruction_lines(text)
    blocks = [
        Block([lines[i] for i in members], [sites[i] for i in members], names)
        for members, names in zip(raw["blocks"], described["contracted"], strict=True)
    ]
    apart = [
        Apart(a, b, reason, *(f"{lines[i]}  {sites[i]}".rstrip() for i in (first, second)))
        for a, b, first, second, reason in described["forbidden"]
    ]
    picture = Picture(text, raw, "blocks of one flush").svg()
    return FlushStory(text, blocks, apart, raw["cache_hit"], picture)


class explain:
    """``with explain() as told: ...``, then ``print(told)``, or ``told`` at the end of a cell.

    What was recorded before runs first, and the body's own operations run at its end. Operations
    that ran at the call, on few elements or shared memory, are counted and not shown.
    """

    def __init__(self) -> None:
        self.flushes: list[FlushStory] = []
        self.fallbacks: dict[str, Any] = {}
        self.eager: dict[str, Any] = {}
        self.direct = 0

    def __enter__(self) -> explain:
        self._capture = captured()
        self._raws = self._capture.__enter__()
        self._before = _core.stats()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._capture.__exit__(kind, error, trace)
        finally:
            after = _core.stats()
            self.flushes = [told_of(raw) for raw in self._raws]
            self.direct = after["eager_instructions"] - self._before["eager_instructions"]
            self.fallbacks = newer(after["fallbacks"], self._before["fallbacks"])
            self.eager = newer(after["eager"], self._before["eager"])

    def __str__(self) -> str:
        out = [flush.text(number) for number, flush in enumerate(self.flushes)]
        if self.direct:
            out.append(f"{counted(self.direct, 'operation')} on few elements ran at the call")
        for name, row in self.eager.items():
            out.append(f"{name} ran at once, its memory is shared with NumPy: {places(row)}")
        for name, row in self.fallbacks.items():
            out.append(f"{name} has no native form and ran as NumPy's: {places(row)}")
        return "\n".join(out or ["nothing ran"])

    def _repr_html_(self) -> str:
        from html import escape  # when it is drawn: import stays cheap

        pictures = "".join(flush.picture for flush in self.flushes)
        return f"<pre>{escape(str(self))}</pre>{pictures}"


def newer(after: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Rows of calls that were counted in between, with the lines that made them."""
    found: dict[str, Any] = {}
    for name, row in after.items():
        old = before.get(name, {"count": 0, "sites": {}})
        count = row["count"] - old["count"]
        if count > 0:
            sites = {
                site: n - old["sites"].get(site, 0)
                for site, n in row["sites"].items()
                if n > old["sites"].get(site, 0)
            }
            found[name] = {"count": count, "sites": sites}
    return found


def places(row: dict[str, Any]) -> str:
    return ", ".join(f"{site} ({counted(n, 'time')})" for site, n in row["sites"].items())
