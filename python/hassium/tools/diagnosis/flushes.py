"""Captured flushes, with repetitions merged: a loop of 200 steps is one flush and its count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hassium.tools.diagnosis import places
from hassium.tools.diagnosis.quantities import counted, seconds, size

MOST_BLOCKS = 12  # of a flush in text form
SYSTEM = ("del", "sync")  # instructions that end a life or request a value
INCOMPLETE = "a sum, extreme or the like has to be complete before its result is used"
NUMBER = "one calculates a number, the other arrays"
# The fuser's reasons (src/fuse/legal) in the user's terms.
REASONS = {
    "one uses a reduction that the other has yet to finish": INCOMPLETE,
    "they touch overlapping views that differ": "one writes elements that the other reads at other "
    "positions",
    "they go through the same elements in different orders": "they go through the same elements in "
    "different orders",
    "they iterate over different shapes": "their arrays have different shapes",
    "their shapes have different rows": "they reduce along rows of different lengths",
    "they reduce different axes": "one reduces along axes that the other keeps",
    "they reduce in different orders": "their sums or extremes go through the elements differently",
    "one of them runs by a routine of its own": "one of them always has a loop of its own",
    "one gathers elements of what the other computes": "one may read any element of the other's "
    "result",
    "one accumulates where the other reduces": "one accumulates and the other reduces",
    "they accumulate along different axes": "they accumulate along different axes",
    "both scatter": "both write where an index says",
    "together they are too large": "a loop of both would have too many operations or arrays",
}
CAUSES = {
    "read": "{} needed a value",
    "full": "the queue had enough when {} was recorded",
    "asked": "{} made everything pending run",
    "raise": "an error of {} would be raised there",
    "end": "the end of the {} made everything pending run",
}


def instruction_lines(text: str) -> list[str]:
    """Returns the lines of a program that are instructions."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [" ".join(words) for words in lines if words and words[0] != "base"]


@dataclass
class Share:
    """One source line's part of a block's time, traffic and operations."""

    seconds: float = 0.0
    moved: float = 0.0
    saved: float = 0.0
    operations: int = 0

    def add(self, other: Share) -> None:
        self.seconds += other.seconds
        self.moved += other.moved
        self.saved += other.saved
        self.operations += other.operations


@dataclass
class Block:
    """Instructions that shared a loop, merged over repetitions of the same operations and lines."""

    instructions: list[str]
    sites: list[str]
    contracted: list[str]
    count: int
    shares: dict[str, Share]

    @property
    def operations(self) -> int:
        """Returns the number of instructions that compute."""
        return sum(line.split()[0] not in SYSTEM for line in self.instructions)

    @property
    def seconds(self) -> float:
        return sum(share.seconds for share in self.shares.values())

    @property
    def moved(self) -> float:
        return sum(share.moved for share in self.shares.values())

    @property
    def saved(self) -> float:
        return sum(share.saved for share in self.shares.values())

    @property
    def lines(self) -> list[str]:
        """Returns the sites of its operations, each once."""
        return [site for site in self.shares if site]

    def add(self, other: Block) -> None:
        self.count += other.count
        for site, share in other.shares.items():
            self.shares[site].add(share)


class Apart(NamedTuple):
    """Two lines whose operations may not share a loop, which kept two blocks apart."""

    first: int
    second: int
    reason: str
    first_site: str
    second_site: str
    why: str  # the reason in the user's terms


@dataclass
class FlushReport:
    """Flushes with the same blocks that the same line triggered."""

    cause: str
    site: str
    program: str  # of the first of them
    cache_hit: bool
    planned: int  # the least number that was partitioned and planned anew
    planning: float
    count: int
    blocks: list[Block]
    apart: list[Apart]
    waits: set[tuple[int, int]] = field(default_factory=set)  # (a, b): block b waits for block a

    @property
    def separated(self) -> list[Apart]:
        """Returns the pairs of `apart` in which one block waits for the other: missed fusion."""
        return [
            pair
            for pair in self.apart
            if {(pair.first, pair.second), (pair.second, pair.first)} & self.waits
        ]

    def add(self, other: FlushReport) -> None:
        self.count += other.count
        self.planned += other.planned
        self.planning += other.planning
        for block, again in zip(self.blocks, other.blocks, strict=True):
            block.add(again)

    @property
    def trigger(self) -> str:
        """Returns what made it run: of the end of a block, with the line of its `with` if known."""
        if self.cause == "end" and not self.site:
            return CAUSES["end"].format("program")
        if self.cause == "end":
            known = "with " in places.line_of(self.site)
            return CAUSES["end"].format(f"block at {places.shown(self.site)}" if known else "block")
        return CAUSES[self.cause].format(places.shown(self.site))

    def text(self, instructions: bool = False) -> str:
        """Returns the report as text, with the recorded instructions if requested."""
        cause = self.trigger
        blocks = counted(len(self.blocks), "loop")
        out = [f"{counted(self.count, 'flush', 'flushes')} with {blocks}: {cause}"]
        for number, block in enumerate(self.blocks[:MOST_BLOCKS]):
            out.append("  " + heading(number, block))
            for line in block.lines:
                out.append(f"    {places.shown(line)}: {places.source(line)}".rstrip(": "))
            if instructions:
                width = max(map(len, block.instructions), default=0)
                for text, site in zip(block.instructions, block.sites, strict=True):
                    out.append(
                        f"      {text:{width}}  {places.shown(site) if site else ''}".rstrip()
                    )
        if len(self.blocks) > MOST_BLOCKS:
            out.append(f"  ... and {counted(len(self.blocks) - MOST_BLOCKS, 'other loop')}")
        for pair in self.separated:
            if max(pair.first, pair.second) >= MOST_BLOCKS:
                continue
            sites = {places.shown(site) for site in (pair.first_site, pair.second_site)}
            out.append(f"  loops {pair.first} and {pair.second} stay apart: {pair.why}")
            out.append(f"    {' and '.join(sorted(sites))}")
        return "\n".join(out)


def heading(number: int, block: Block) -> str:
    """Returns a one-line description of a block."""
    out = f"loop {number}: {counted(block.operations, 'operation')}, {seconds(block.seconds)}"
    out += f", {size(block.moved)} moved"
    if block.count > 1:
        out += f", {block.count:,} times"
    if block.contracted:
        out += f"; {counted(len(block.contracted), 'array')} never in memory"
    return out


def _shared_out(weights: list[float], members: list[int]) -> list[float]:
    """Returns each member's fraction of a block."""
    total = sum(weights[i] for i in members)
    return [weights[i] / total if total else 1 / len(members) for i in members]


def _shares(
    raw: dict[str, Any], words: list[str], number: int, saved: list[float]
) -> dict[str, Share]:
    """Returns a block's traffic by line, and its time, divided by the bytes touched."""
    members, described = raw["blocks"][number], raw["description"]
    found: dict[str, Share] = {}
    for i, time, moved in zip(
        members,
        _shared_out(described["touched"], members),
        _shared_out(described["moved"], members),
        strict=True,
    ):
        if words[i] in SYSTEM:
            continue
        found.setdefault(raw["sites"][i], Share()).add(
            Share(
                raw["seconds"][number] * time, raw["bytes"][number] * moved, saved[i], raw["count"]
            )
        )
    return found


def _merged(raw: dict[str, Any]) -> FlushReport:
    """Returns one capture entry's report; blocks with equal operations and lines are merged."""
    lines, sites, described = instruction_lines(raw["program"]), raw["sites"], raw["description"]
    words = [line.split()[0] for line in lines]
    kept = [max(a - b, 0.0) for a, b in zip(described["touched"], described["moved"], strict=True)]
    total = sum(kept)
    saved = [raw["bytes_saved"] * part / total if total else 0.0 for part in kept]
    found: dict[Any, tuple[int, Block]] = {}
    number_of: list[int] = []
    block_of = {i: k for k, members in enumerate(raw["blocks"]) for i in members}
    for k, members in enumerate(raw["blocks"]):
        texts, places_ = [lines[i] for i in members], [sites[i] for i in members]
        shares = _shares(raw, words, k, saved)
        block = Block(texts, places_, described["contracted"][k], raw["count"], shares)
        key = tuple((words[i], sites[i]) for i in members)
        number, first = found.setdefault(key, (len(found), block))
        number_of.append(number)
        if first is not block:
            first.add(block)
    return FlushReport(
        cause=raw["cause"],
        site=raw["site"],
        program=raw["program"],
        cache_hit=raw["cache_hit"],
        planned=0 if raw["cache_hit"] else 1,
        planning=raw["planning"],
        count=raw["count"],
        blocks=[block for _, block in found.values()],
        apart=_apart(raw, lines, block_of, number_of),
        waits={(number_of[a], number_of[b]) for a, b in _waits(raw, block_of)},
    )


def _waits(raw: dict[str, Any], block_of: dict[int, int]) -> set[tuple[int, int]]:
    """Returns pairs of blocks, the second of which waits for the first."""
    pairs = {(block_of[a], block_of[b]) for a, b in raw["description"]["dependencies"]}
    return {(a, b) for a, b in pairs if a != b}


def _apart(
    raw: dict[str, Any], lines: list[str], block_of: dict[int, int], number_of: list[int]
) -> list[Apart]:
    """Returns pairs of blocks that could not be fused, each once.

    The shapes differ as well where one uses a reduction of the other, or calculates with a number:
    these are then the reasons.
    """
    sites, described = raw["sites"], raw["description"]
    # By blocks: a reduction in one, and an instruction in the other that depends on it.
    uses: dict[frozenset[int], tuple[int, int]] = {}
    for i, j in described["dependencies"]:
        words = lines[i].split()[0], lines[j].split()[0]
        if words[0].endswith(".reduce") and words[1] not in SYSTEM:
            uses.setdefault(frozenset((block_of[i], block_of[j])), (i, j))
    found: dict[tuple[int, int, str], Apart] = {}
    for a, b, first, second, reason in described["forbidden"]:
        why = REASONS.get(reason, reason)
        if reason == "they iterate over different shapes":
            if use := uses.get(frozenset((a, b))):
                why, (first, second) = INCOMPLETE, use if block_of[use[0]] == a else use[::-1]
            elif _is_number(lines[first]) != _is_number(lines[second]):
                why = NUMBER
        pair = Apart(number_of[a], number_of[b], reason, sites[first], sites[second], why)
        found[pair.first, pair.second, why] = pair
    return [pair for pair in found.values() if pair.first != pair.second]


def _is_number(line: str) -> bool:
    """Returns whether an instruction's loop has one element: a map with a result without axes."""
    word, *operands = line.split()
    result = next(text for text in operands if not text.startswith("axis="))
    return "." not in word and result.partition(",")[0].endswith("+()]")


def flush_reports(raws: list[dict[str, Any]], end: str) -> list[FlushReport]:
    """Returns the captured flushes in the order of their first appearance.

    `end` is the line that ran what was pending at the end.
    """
    found: dict[Any, FlushReport] = {}
    for raw in raws:
        report = _merged(raw)
        if report.cause == "asked" and report.site == end:
            report.cause = "end"
        blocks = tuple(
            (tuple(line.split()[0] for line in block.instructions), tuple(block.sites))
            for block in report.blocks
        )
        first = found.setdefault((report.cause, report.site, blocks), report)
        if first is not report:
            first.add(report)
    return list(found.values())
