"""Legality: which combinators may share a block. No other module decides that.

Every member of a block runs in one order: forward, backward, or as a gather asks for its source
(the label of the gather). A block is legal when

1. no arc inside it is infusible (a table, a destination, what a scatter made, a forced array, a
   user of a destination before the scatter);
2. a member that reads what a member makes, reads it in the order in which it is made;
3. an array that is stored (returned, or read by another block) is made forward or backward: made
   in the order of a gather it may be incomplete or hold elements twice;
4. its members hang together by a producer and its reader, or by two reads of one array in one
   order. `split` divides a block that does not, which changes no cost but the number of blocks.

Rules 2 and 3 are equalities between orders, so a union-find decides them: a cell for each member,
and constants for orders that are known. The rules are those of "Fusing Gathers with Integer Linear
Programming", sections 3.3 and 3.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Generic, TypeVar

from hassium.wsp.combinators import FIRST_LABEL, KINDS, OWN, Program, in_order

Node = TypeVar("Node", str, int)


class UnionFind(Generic[Node]):
    """Disjoint sets of nodes, joined by `union`."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.parent: dict[Node, Node] = {node: node for node in nodes}

    def find(self, node: Node) -> Node:
        while self.parent[node] != node:
            self.parent[node] = node = self.parent[self.parent[node]]
        return node

    def union(self, a: Node, b: Node) -> None:
        self.parent[self.find(a)] = self.find(b)

    def sets(self) -> list[list[Node]]:
        found: dict[Node, list[Node]] = {}
        for node in self.parent:
            found.setdefault(self.find(node), []).append(node)
        return list(found.values())


class Classes:
    """The members of a block by the order in which they run."""

    def __init__(self, program: Program, block: Iterable[str]) -> None:
        self.program = program
        self.members = in_order(program, block)
        self.cells = UnionFind(self.members)
        known: list[tuple[str, int]] = []
        for name in self.members:
            member = program.members[name]
            runs = KINDS[member.kind].runs
            known += [(name, runs[0])] if len(runs) == 1 else []
            for array, order in member.accesses:
                if array in self.cells.parent and order == OWN:
                    self.cells.union(array, name)
                elif array in self.cells.parent and order >= FIRST_LABEL:
                    known.append((array, order))
        # By class, named by its representative.
        self.orders: dict[str, set[int]] = {self.cells.find(name): set() for name in self.members}
        for name, order in known:
            self.orders[self.cells.find(name)].add(order)

    def order(self, name: str) -> int | None:
        """Returns the order in which a member runs, or None for either forward or backward."""
        known = self.orders[self.cells.find(name)]
        return min(known) if known else None

    def clash(self) -> str:
        """Returns why no order fits all members; empty if one does."""
        for name, known in self.orders.items():
            if len(known) > 1:
                a, b = sorted(known)[:2]
                return f"{name} would run in the orders {a} and {b}"
        return ""


def stored(program: Program, block: Iterable[str]) -> frozenset[str]:
    """Returns the arrays of the block that are written to memory."""
    inside = set(block)
    return frozenset(
        name
        for name in inside
        if name in program.always_stored
        or any(reader not in inside for reader, _ in program.readers[name])
    )


def refusal(program: Program, block: Iterable[str]) -> str:
    """Returns which of rules 1 to 3 the block breaks; empty if it is legal."""
    inside = set(block)
    for arc in program.arcs:
        if not arc.fusible and arc.before in inside and arc.after in inside:
            return f"{arc.after} needs all of {arc.before}"
    classes = Classes(program, inside)
    if clash := classes.clash():
        return clash
    plain = stored(program, inside) | {n for n in inside if program.members[n].kind == "scatter"}
    for name in classes.members:
        order = classes.order(name)
        if name in plain and order is not None and order >= FIRST_LABEL:
            return f"{name} is stored and would run in the order {order}"
    return ""


def in_execution_order(blocks: int, arcs: Iterable[tuple[int, int]]) -> list[int] | None:
    """Returns block numbers in dependency order, or None if there is a cycle."""
    before: dict[int, set[int]] = {k: set() for k in range(blocks)}
    for a, b in arcs:
        if a != b:
            before[b].add(a)
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError:
        return None


def execution_order(program: Program, blocks: Iterable[Iterable[str]]) -> list[list[str]] | None:
    """Returns the blocks in dependency order, or None if there is a cycle."""
    members = [in_order(program, block) for block in blocks]
    block_of = {name: k for k, block in enumerate(members) for name in block}
    arcs = ((block_of[arc.before], block_of[arc.after]) for arc in program.arcs)
    ordered = in_execution_order(len(members), arcs)
    return None if ordered is None else [members[k] for k in ordered]


def check(program: Program, blocks: Iterable[Iterable[str]]) -> list[list[str]]:
    """Returns the blocks in execution order; raises ValueError if the partition is illegal."""
    given = [list(block) for block in blocks]
    if sorted(name for block in given for name in block) != sorted(program.members):
        raise ValueError("every combinator must be in one block")
    for block in given:
        if why := refusal(program, block):
            raise ValueError(f"illegal block {' '.join(block)}: {why}")
    ordered = execution_order(program, given)
    if ordered is None:
        raise ValueError("blocks wait for each other")
    return ordered


def split(program: Program, block: Iterable[str], orders: dict[str, int]) -> list[list[str]]:
    """Returns the connected parts of a legal block (rule 4), its members in these orders."""
    inside = in_order(program, block)
    cells = UnionFind(inside)
    first: dict[tuple[str, int], str] = {}
    for name in inside:
        for array, order in program.members[name].accesses:
            if array in cells.parent:
                cells.union(array, name)
            elif order >= OWN:
                order = orders[name] if order == OWN else order
                cells.union(first.setdefault((array, order), name), name)
    return cells.sets()


class Merger:
    """Blocks that grow by required members; starts with a block for each combinator."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.block_of = {name: frozenset([name]) for name in program.members}
        self.next: dict[str, list[str]] = {name: [] for name in program.members}
        self.previous: dict[str, list[str]] = {name: [] for name in program.members}
        for arc in program.arcs:
            self.next[arc.before].append(arc.after)
            self.previous[arc.after].append(arc.before)

    def blocks(self) -> list[list[str]]:
        ordered = execution_order(self.program, set(self.block_of.values()))
        assert ordered is not None
        return ordered

    def merge(self, a: str, b: str) -> bool:
        """Joins both blocks and what that requires. Returns False, changing nothing, if impossible.

        Joining two members requires everything between them, and all readers of an array that is
        made in the order of a gather, because it may not be stored.
        """
        block = self.block_of[a] | self.block_of[b]
        while True:
            block = self.hull(block)
            wanted = self.missing_readers(block)
            if wanted is None:
                return False
            if wanted <= block:
                break
            block = block.union(*(self.block_of[name] for name in wanted))
        self.block_of |= dict.fromkeys(block, block)
        return True

    def hull(self, block: frozenset[str]) -> frozenset[str]:
        """Returns the block with all blocks on a path from it back to it."""
        return block | (self.reached(block, self.next) & self.reached(block, self.previous))

    def reached(self, block: frozenset[str], steps: dict[str, list[str]]) -> set[str]:
        found: set[str] = set()
        front = list(block)
        while front:
            for there in steps[front.pop()]:
                if there not in block and there not in found:
                    found |= self.block_of[there]
                    front += self.block_of[there]
        return found

    def missing_readers(self, block: frozenset[str]) -> frozenset[str] | None:
        """Returns readers that must be in the block, or None if it breaks a rule in any case."""
        program = self.program
        for arc in program.arcs:
            if not arc.fusible and arc.before in block and arc.after in block:
                return None
        classes = Classes(program, block)
        if classes.clash():
            return None
        wanted: set[str] = set()
        for name in classes.members:
            if (classes.order(name) or 0) >= FIRST_LABEL:
                if name in program.always_stored or program.members[name].kind == "scatter":
                    return None
                wanted |= {reader for reader, _ in program.readers[name]}
        return frozenset(wanted)


def accesses_from_outside(program: Program, block: Iterable[str]) -> Iterator[tuple[str, str, int]]:
    """Yields reads of arrays from outside the block: reader, array and order of the access."""
    inside = set(block)
    for name in in_order(program, inside):
        for array, order in dict.fromkeys(program.members[name].accesses):
            if array not in inside:
                yield name, array, order
