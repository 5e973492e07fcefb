"""Rows of an integer program that bound the lengths of paths in a graph from below."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, NamedTuple

from hassium.wsp.solver import Linear

TOLERANCE = 1e-6


class Step(NamedTuple):
    to: int
    length: int  # an index of Paths.lengths


class Paths:
    """A graph with expressions as lengths, and pairs of nodes with a minimum distance."""

    def __init__(self, nodes: int) -> None:
        self.steps: list[list[Step]] = [[] for _ in range(nodes)]
        self.lengths: list[Linear] = []
        self.demands: dict[int, list[tuple[int, Linear]]] = {}

    def edge(self, a: int, b: int, length: Linear) -> None:
        """Adds a step in both directions."""
        self.lengths.append(length)
        self.steps[a].append(Step(b, len(self.lengths) - 1))
        self.steps[b].append(Step(a, len(self.lengths) - 1))

    def arc(self, a: int, b: int) -> None:
        """Adds a step of length 0 in one direction."""
        self.lengths.append(Linear())
        self.steps[a].append(Step(b, len(self.lengths) - 1))

    def demand(self, a: int, b: int, least: Linear) -> None:
        """Requires that all paths from a to b are at least `least` long, which is at most 1."""
        self.demands.setdefault(a, []).append((b, least))

    def violated(self, values: Any) -> list[Linear]:
        """Returns expressions below 0 in the solution, and at least 0 in legal partitions."""
        lengths = [max(length.at(values), 0.0) for length in self.lengths]
        rows = []
        for start, goals in self.demands.items():
            distance, came = self.shortest(start, lengths)
            for goal, least in goals:
                if distance.get(goal, 1.0) < least.at(values) - TOLERANCE:
                    rows.append(self.along(start, goal, came) - least)
        return rows

    def shortest(
        self, start: int, lengths: list[float]
    ) -> tuple[dict[int, float], dict[int, tuple[int, int]]]:
        """Returns distances below 1 from the start, and each node's predecessor with the step."""
        distance = {start: 0.0}
        came: dict[int, tuple[int, int]] = {}
        heap = [(0.0, start)]
        while heap:
            here_distance, here = heappop(heap)
            if here_distance > distance[here]:
                continue
            for to, length in self.steps[here]:
                there = here_distance + lengths[length]
                if there < min(distance.get(to, 1.0), 1.0 - TOLERANCE):
                    distance[to] = there
                    came[to] = here, length
                    heappush(heap, (there, to))
        return distance, came

    def along(self, start: int, goal: int, came: dict[int, tuple[int, int]]) -> Linear:
        used: set[int] = set()
        while goal != start:
            goal, length = came[goal]
            used.add(length)
        total = Linear()
        for length in used:
            total = total + self.lengths[length]
        return total
