"""The common part of the integer programs: positions of blocks, and pairs that share one.

Each member has a position, that of its block in execution order, and each relevant pair of members
has a column that is 1 if they are in different blocks. A pair at 0 has equal positions; a
dependency at 1 has positions that differ by at least 1. Positions are continuous: nothing needs
them to be integers, and a solver does not branch on the names of blocks. Members are in one block
if pairs at 0 connect them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hassium.wsp.orders import UnionFind
from hassium.wsp.paths import Paths
from hassium.wsp.solver import Linear, Model

APART = Linear(constant=1.0)


def pair_of(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


class Positions:
    """`arcs`: dependencies, True if both may share a block; they lead to higher numbers."""

    def __init__(self, members: int, arcs: dict[tuple[int, int], bool]) -> None:
        self.model = Model()
        self.arcs = arcs
        self.first = [0] * members
        self.last = [members - 1] * members
        self.set_bounds()
        self.position = [
            self.model.column(low, high) for low, high in zip(self.first, self.last, strict=True)
        ]
        self.never = self.never_together(members)
        self.columns: dict[tuple[int, int], Linear] = {}
        self.joined: list[tuple[int, int, Linear]] = []  # connects blocks when it is 0
        for (a, b), fusible in arcs.items():
            if fusible and (a, b) not in self.never:
                self.dependency(a, b)
            else:
                self.model.at_least(self.position[b] - self.position[a], 1)

    def set_bounds(self) -> None:
        """Bounds positions by the longest chains of dependencies that keep blocks apart."""
        following: dict[int, list[tuple[int, bool]]] = {}
        for (a, b), fusible in self.arcs.items():
            following.setdefault(a, []).append((b, fusible))
        for a in range(len(self.first)):
            for b, fusible in following.get(a, []):
                self.first[b] = max(self.first[b], self.first[a] + (not fusible))
        for a in reversed(range(len(self.last))):
            for b, fusible in following.get(a, []):
                self.last[a] = min(self.last[a], self.last[b] - (not fusible))

    def never_together(self, members: int) -> set[tuple[int, int]]:
        """Returns pairs with a path between them over a dependency that keeps blocks apart."""
        after = [0] * members  # bits of what a member reaches, and of what it reaches strictly
        strictly = [0] * members
        for a, b in sorted(self.arcs, reverse=True):
            after[a] |= after[b] | 1 << b
            strictly[a] |= strictly[b]
            if not self.arcs[a, b]:
                strictly[a] |= after[b] | 1 << b
        return {(a, b) for a in range(members) for b in range(members) if strictly[a] >> b & 1}

    def dependency(self, a: int, b: int) -> None:
        apart = self.columns[a, b] = self.model.binary()
        distance = self.position[b] - self.position[a]
        self.model.at_least(distance, apart)
        self.model.at_least(apart * (self.last[b] - self.first[a]), distance)
        self.joined.append((a, b, apart))

    def apart(self, a: int, b: int) -> Linear:
        """Returns an expression that is 1 if the two are in different blocks."""
        pair = pair_of(a, b)
        if pair in self.never:
            return APART
        if pair not in self.columns:
            self.columns[pair] = self.model.binary()
            self.same_position(a, b, self.columns[pair])
            self.joined.append((a, b, self.columns[pair]))
        return self.columns[pair]

    def same_position(self, a: int, b: int, unless: Linear) -> None:
        for one, other in ((a, b), (b, a)):
            reach = self.last[one] - self.first[other]
            self.model.at_least(unless * reach, self.position[one] - self.position[other])

    def leaders(self, pins: Sequence[tuple[Linear, dict[int, Linear]]]) -> Linear:
        """Returns how many pins share nothing with an earlier one.

        A pin is its largest count, and for earlier pins, by index, an expression that is 1 if the
        two share nothing; pins without one share nothing.
        """
        total = Linear()
        for counts, apart in pins:
            least = counts
            for column in apart.values():
                least = least - 1 + column
            if not least.terms:
                total = total + max(least.constant, 0.0)
                continue
            if apart:
                alone = self.model.column()
                self.model.at_least(alone, least)
                least = alone
            total = total + least
        return total

    def cycles(self) -> Paths:
        """Forbids for a dependency between blocks a path back over pairs that are fused."""
        paths = Paths(len(self.position))
        for a, b, apart in self.joined:
            paths.edge(a, b, apart)
        for (a, b), _ in self.arcs.items():
            paths.arc(a, b)
            paths.demand(b, a, self.columns.get((a, b), APART))
        return paths

    def blocks(self, values: Any) -> Iterable[list[int]]:
        """Returns the blocks of a solution."""
        cells = UnionFind(range(len(self.position)))
        for a, b, apart in self.joined:
            if apart.at(values) < 0.5:
                cells.union(a, b)
        return cells.sets()
