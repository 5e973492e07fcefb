"""The cost of a partition of combinators.

| cost | a partition pays |
|---|---|
| `clusters` | the steps it takes when blocks that do not wait for each other share a step |
| `edges` | 1 for each producer and reader in different blocks |
| `stored` | 1 for each array that is written to memory |
| `reads` | 1 for each block, array and order in which the block reads the array from memory |
| `traffic` | `stored` and `reads` |
| `bytes` | the same, each with the bytes of the array |
| `work` | `bytes`, and for each element that is computed the work of it in bytes |

The first five are (a) to (e) of "Fusing Gathers with Integer Linear Programming". A member that is
fused below a gather computes as many elements as the gather selects: more or fewer than it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hassium.wsp import orders
from hassium.wsp.combinators import BACKWARD, FORWARD, NONE, OWN, Program, in_order


@dataclass(frozen=True)
class Cost:
    """Weights of the parts of a cost."""

    name: str
    clusters: float = 0
    edges: float = 0
    stored: float = 0
    reads: float = 0
    sized: bool = False  # reads and stores count bytes, not arrays
    works: bool = False

    def weight(self, program: Program, array: str) -> float:
        return program.bytes_of(array) if self.sized else 1.0


COSTS = {
    row.name: row
    for row in [
        Cost("clusters", clusters=1),
        Cost("edges", edges=1),
        Cost("stored", stored=1),
        Cost("reads", reads=1),
        Cost("traffic", stored=1, reads=1),
        Cost("bytes", stored=1, reads=1, sized=True),
        Cost("work", stored=1, reads=1, sized=True, works=True),
    ]
}


def find(name: str) -> Cost:
    if name not in COSTS:
        raise ValueError(f"unknown cost '{name}': must be one of {', '.join(COSTS)}")
    return COSTS[name]


def rows(program: Program, maker: str, reader: str) -> float:
    """Returns how many elements of `maker` the reader consumes for one of its own."""
    if program.members[reader].kind != "fold":
        return 1.0
    return program.elements(maker) / program.elements(reader)


def executed(program: Program, block: Iterable[str]) -> dict[str, float]:
    """Returns how many elements each member of the block computes."""
    inside = in_order(program, block)
    kept = orders.stored(program, inside)
    found: dict[str, float] = {}
    for name in reversed(inside):
        own = program.elements(name) if name in kept else 0.0
        read = [
            rows(program, name, reader) * found[reader]
            for reader, _ in program.readers[name]
            if reader in found
        ]
        found[name] = max([own, *read])
    return found


def best_orders(program: Program, block: Iterable[str], cost: Cost) -> tuple[float, dict[str, int]]:
    """Returns a legal block's reads from memory, and the orders of its members that read least.

    A class of members without an order runs forward, or backward if that shares a read with members
    that must run backward.
    """
    classes = orders.Classes(program, block)
    outside = list(orders.accesses_from_outside(program, classes.members))
    known = {cell: classes.order(cell) for cell in classes.orders}
    free = undecided(classes, known, outside)
    best: tuple[float, dict[str, int]] | None = None
    for choice in product((FORWARD, BACKWARD), repeat=len(free)):
        chosen = dict(zip(free, choice, strict=True))
        of = {
            name: chosen.get(cell, known[cell] or 0)
            for name in classes.members
            for cell in [classes.cells.find(name)]
        }
        reads = {
            (array, reader if order == NONE else "", of[reader] if order == OWN else order)
            for reader, array, order in outside
        }
        total = cost.reads * sum(cost.weight(program, array) for array, _, _ in reads)
        if best is None or total < best[0]:
            best = total, of
    assert best is not None
    return best


def undecided(
    classes: orders.Classes, known: dict[str, int | None], outside: list[tuple[str, str, int]]
) -> list[str]:
    """Returns classes without an order that share a read, also indirectly, with backward ones."""
    of_array: dict[str, set[str]] = {}
    for reader, array, order in outside:
        if order == OWN:
            of_array.setdefault(array, set()).add(classes.cells.find(reader))
    found = {cell for cell, order in known.items() if order == BACKWARD}
    while True:
        more = found.union(
            *(
                {c for c in cells if known[c] is None}
                for cells in of_array.values()
                if cells & found
            )
        )
        if more == found:
            return [cell for cell in known if cell in found and known[cell] is None]
        found = more


def block_cost(program: Program, block: Iterable[str], cost: Cost) -> float:
    """Returns the cost of a legal block, without the number of blocks."""
    inside = in_order(program, block)
    total = 0.0
    if cost.edges:
        arcs = {(a.before, a.after) for a in program.arcs if a.reads}
        total += cost.edges * sum(b in inside and a not in inside for a, b in arcs)
    if cost.stored:
        kept = orders.stored(program, inside)
        total += cost.stored * sum(cost.weight(program, name) for name in kept)
    if cost.reads:
        total += best_orders(program, inside, cost)[0]
    if cost.works:
        counts = executed(program, inside)
        total += sum(program.members[name].work * count for name, count in counts.items())
    return total


def steps(program: Program, blocks: list[list[str]]) -> int:
    """Returns the number of steps for blocks in execution order."""
    step: dict[str, int] = {}
    for block in blocks:
        before = [arc.before for arc in program.arcs if arc.after in block]
        at = 1 + max((step[name] for name in before if name in step), default=0)
        step |= dict.fromkeys(block, at)
    return max(step.values(), default=0)


def price(program: Program, blocks: Iterable[Iterable[str]], cost: Cost) -> float:
    """Returns the cost of a partition; raises ValueError if it is not legal."""
    ordered = orders.check(program, blocks)
    total = sum(block_cost(program, block, cost) for block in ordered)
    return total + cost.clusters * steps(program, ordered)


def connected(program: Program, blocks: Iterable[Iterable[str]], cost: Cost) -> list[list[str]]:
    """Returns a legal partition with each block split into its connected parts."""
    parts = [
        part
        for block in blocks
        for part in orders.split(program, block, best_orders(program, block, cost)[1])
    ]
    ordered = orders.execution_order(program, parts)
    assert ordered is not None
    return ordered


def dump(program: Program, blocks: Iterable[Iterable[str]]) -> str:
    """Returns each block with its reads and stores, and its members, all with their orders."""
    return "\n".join(f"block {k}: {dump_block(program, b)}" for k, b in enumerate(blocks))


def dump_block(program: Program, block: Iterable[str]) -> str:
    members = in_order(program, block)
    _, of = best_orders(program, members, COSTS["traffic"])

    def access(reader: str, array: str, order: int) -> str:
        if order == NONE:
            return array
        return f"{array}:{of[reader] if order == OWN else order}"

    def made(name: str) -> str:
        return name if program.members[name].kind == "scatter" else f"{name}:{of[name]}"

    reads = dict.fromkeys(access(*a) for a in orders.accesses_from_outside(program, members))
    writes = [made(name) for name in in_order(program, orders.stored(program, members))]
    lines = [f"[{', '.join(reads)} | {', '.join(writes)}]"]
    for name in members:
        member = program.members[name]
        words = [access(name, array, order) for array, order in member.accesses]
        lines.append("    " + " ".join([made(name), "=", member.kind, *words]))
    return "\n".join(lines)
