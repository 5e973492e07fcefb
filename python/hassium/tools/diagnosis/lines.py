"""The diagnosis by source line: what each cost and saved, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import hassium
from hassium._fallback import AS_NUMPYS
from hassium.tools.diagnosis import places
from hassium.tools.diagnosis.flushes import FlushReport, Share
from hassium.tools.diagnosis.quantities import counted, seconds, size

COLUMNS = ("line", "time", "outside", "moved", "saved", "operations")
HOW_MEASURED = (
    "Time is measured for each loop and shared out among its lines by the bytes that their "
    "operations read and write; outside: other time at the line, in Python, NumPy and other "
    "packages, by samples; moved: to and from memory; saved: by sharing loops."
)
# Of the program's time, and in seconds: a line that spent less outside is no row for that.
OUTSIDE_PART, OUTSIDE_SECONDS = 0.02, 0.02
SMALL_BYTES = 16384  # mean bytes touched per operation: below, calls dominate the time
SMALL_OPERATIONS = 100  # of a line: with fewer, what calls cost does not matter
SMALL_PART = 0.02  # of the time in array operations: likewise
REPEATED = 3  # equal flushes, or calls, of a line: with fewer, no loop is assumed
MOST_LINES = 40  # of a table
# Words of a line that reads a number, which could stay an array of one element; and of those where
# that changes nothing.
NUMBERS = re.compile(r"\b(?:sum|prod|mean|std|var|max|min|any|all|norm|float|int|bool|if|while)\b")
READ_ANYWAY = re.compile(r"keepdims|median|percentile|quantile")
MOST_NAMES = 4  # of other lines in a note


@dataclass
class Line:
    """Everything known about one source line."""

    site: str
    share: Share = field(default_factory=Share)
    outside: float = 0.0  # seconds at the line that are not in a flush
    with_lines: set[str] = field(default_factory=set)
    apart: set[tuple[str, str]] = field(default_factory=set)  # other line, reason
    flushes: dict[str, int] = field(default_factory=dict)  # that the line triggered, by cause
    fallbacks: dict[str, int] = field(default_factory=dict)
    eager: dict[str, int] = field(default_factory=dict)
    part: float = 0.0  # of the time in array operations
    equal_reads: int = 0  # the most flushes with the same operations that reads here triggered

    @property
    def name(self) -> str:
        return places.shown(self.site)

    def cells(self, total: float) -> tuple[str, ...]:
        """Returns its row of the table."""
        share = self.share
        outside = seconds(self.outside) if self.outside else ""
        if not share.operations:
            return self.name, "", outside, "", "", ""
        part = f" {share.seconds / total:4.0%}" if total else ""
        moved, saved = size(share.moved), size(share.saved)
        count = f"{share.operations:,}"
        return self.name, seconds(share.seconds) + part, outside, moved, saved, count

    def notes(self) -> tuple[str, ...]:
        """Returns notes on what happened there."""
        return tuple(self._notes())

    def advice(self) -> tuple[str, ...]:
        """Returns advice on what to write instead."""
        return tuple(self._advice())

    def _notes(self) -> Iterator[str]:
        others = self.with_lines - {self.site, ""}
        if others:
            yield f"shares a loop with {_names(others, self.site)}"
        by_reason: dict[str, set[str]] = {}
        for site, reason in self.apart:
            by_reason.setdefault(reason, set()).add(site)
        for reason, sites in sorted(by_reason.items()):
            others = sites - {self.site}
            other = _names(others, self.site) if others else "another operation here"
            yield f"in another loop than {other}: {reason}"
        if count := self.flushes.get("read"):
            yield f"needed a value: what was pending ran here, {counted(count, 'time')}"
        if count := self.flushes.get("raise"):
            yield f"can raise a floating-point error: ran here, {counted(count, 'time')}"
        for name, count in self.fallbacks.items():
            which = " for this dtype, size or option" if _is_native(name) else ""
            ran = f"and ran as NumPy's, {counted(count, 'time')}"
            yield f"np.{name} has no native form{which} {ran}"
        for name, count in self.eager.items():
            yield f"{name} ran at once, its memory is shared with NumPy, {counted(count, 'time')}"

    def _advice(self) -> Iterator[str]:
        repeated = places.can_repeat(self.site)
        if repeated and self.equal_reads >= REPEATED:
            yield (
                "Use the value less often: after the loop, or every few steps. What is recorded "
                "between two reads can share loops."
            )
            text = places.line_of(self.site)
            if NUMBERS.search(text) and not READ_ANYWAY.search(text):
                yield (
                    "A number that stays an array of one element is not read: "
                    "x.sum(keepdims=True), with np.where(..) for an if. To keep one a step, append "
                    "it to a list, and join them by np.concatenate(.., axis=None) after the loop."
                )
        if self.flushes.get("raise", 0) >= REPEATED:
            yield (
                "np.errstate(..='raise') or a filter of warnings makes floating-point errors "
                "exceptions, so what can raise one is not recorded. Leave that to the lines that "
                "handle it."
            )
        if self.eager:
            yield (
                "If an operand is NumPy's own array, as results of other packages are, convert it "
                "once: np.asarray(result). Else NumPy holds a view of this array: drop it (del, or "
                "let it go out of scope) or take a copy with numpy.array(a). Then operations are "
                "recorded and share loops."
            )
        if repeated and max(self.fallbacks.values(), default=0) >= REPEATED:
            yield (
                "Keep it out of inner loops, or write it with functions and dtypes that are "
                "native: each call needs its arguments complete, and its result is an array in "
                "memory."
            )
        share = self.share
        many = share.operations > SMALL_OPERATIONS and self.part >= SMALL_PART
        touched = share.moved + share.saved
        if repeated and many and touched / share.operations < SMALL_BYTES:
            mean = size(touched / share.operations)
            yield (
                f"An operation here works on {mean} in the mean: calls cost more than arithmetic. "
                "Put an outer loop's index into an axis of the arrays, and do all of it at once."
            )


def _is_native(name: str) -> bool:
    """Returns whether the function or method of that name has a native form for some arguments."""
    for holder in (hassium, hassium.ndarray):
        found: Any = holder
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            return AS_NUMPYS not in (found.__doc__ or "")
    return False


def _names(sites: set[str], here: str) -> str:
    """Returns names of other lines: numbers for those of the same file or cell."""
    file, _ = places.split(here)
    numbers = sorted(places.split(site)[1] for site in sites if places.split(site)[0] == file)
    names = sorted(places.shown(site) for site in sites if places.split(site)[0] != file)
    if numbers:
        shown = [str(number) for number in numbers[:MOST_NAMES]]
        more = [f"{len(numbers) - MOST_NAMES} more"] if len(numbers) > MOST_NAMES else []
        names.insert(0, f"line{'s' if len(numbers) > 1 else ''} {_joined([*shown, *more])}")
    more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return _joined([*names[:MOST_NAMES], *more])


def _joined(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def lines_of(
    flushes: list[FlushReport],
    fallbacks: dict[str, Any],
    eager: dict[str, Any],
    sampled: dict[str, float],
) -> list[Line]:
    """Returns the lines, the one with the most time first.

    `sampled` has the seconds that the program was at each line, flushes included.
    """
    found: dict[str, Line] = {}

    def line(site: str) -> Line:
        return found.setdefault(site, Line(site))

    for flush in flushes:
        causes = line(flush.site).flushes
        causes[flush.cause] = causes.get(flush.cause, 0) + flush.count
        if flush.cause == "read":
            line(flush.site).equal_reads = max(line(flush.site).equal_reads, flush.count)
        for block in flush.blocks:
            for site, share in block.shares.items():
                line(site).share.add(share)
                line(site).with_lines |= set(block.lines)
        for pair in flush.separated:
            if pair.first_site and pair.second_site:
                line(pair.first_site).apart.add((pair.second_site, pair.why))
                line(pair.second_site).apart.add((pair.first_site, pair.why))
    for site, outside in _outside(flushes, sampled).items():
        line(site).outside = outside
    for counts, attribute in ((fallbacks, "fallbacks"), (eager, "eager")):
        for name, row in counts.items():
            for site, count in row["sites"].items():
                getattr(line(site), attribute)[name] = count
    total = sum(one.share.seconds for one in found.values())
    for one in found.values():
        one.part = one.share.seconds / total if total else 0.0
    least = max(OUTSIDE_PART * sum(sampled.values()), OUTSIDE_SECONDS)
    shown = [
        one for one in found.values() if one.share.operations or one.notes() or one.outside > least
    ]
    return sorted(shown, key=lambda one: (-one.share.seconds - one.outside, places.split(one.site)))


def _outside(flushes: list[FlushReport], sampled: dict[str, float]) -> dict[str, float]:
    """Returns the sampled seconds without those of flushes, which run where they are triggered."""
    rest = dict(sampled)
    for flush in flushes:
        spent = flush.planning + sum(block.seconds for block in flush.blocks)
        if flush.site in rest:
            rest[flush.site] -= spent
    return {site: time for site, time in rest.items() if time > 0}
