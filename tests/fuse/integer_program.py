"""The least cost of an instance of WSP by an integer program, for a check that shares no code.

A variable for every edge, a pair of instructions that may share a block and share a net or depend
on one another: 1 when its ends are in different blocks. Blocks are what edges at 0 connect; cutting
a block into such parts changes neither cost nor order. A net pays for each of its pins that shares
a block with none before it. Ways between forbidden pairs and cycles of blocks are forbidden once a
solution has them.
"""

from __future__ import annotations

from typing import Any

import highspy


def pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


class IntegerProgram:
    def __init__(self, instance: dict[str, Any]) -> None:
        self.size: int = instance["size"]
        self.arcs: list[tuple[int, int]] = instance["dependencies"]
        self.forbidden = {pair(a, b) for a, b in instance["forbidden"]}
        self.constant: float = instance["constant"]
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.edges: dict[tuple[int, int], Any] = {}
        cost: Any = 0.0 * self.solver.addBinary()
        for a, b in self.arcs:
            self.edge(a, b)
        for weight, pins in instance["nets"]:
            for k, pin in enumerate(pins[1:], 1):
                cut = [self.edge(pin, other) for other in pins[:k]]
                if None in cut:
                    cut = [one for one in cut if one is not None]
                    cost += weight if not cut else 0.0
                if cut:
                    alone = self.solver.addVariable(0, 1)
                    self.solver.addConstr(alone >= sum(cut[1:], cut[0]) - (len(cut) - 1))
                    cost += weight * alone
        self.cost = cost

    def edge(self, a: int, b: int) -> Any:
        """Its variable; None for a forbidden pair."""
        if pair(a, b) in self.forbidden:
            return None
        if pair(a, b) not in self.edges:
            self.edges[pair(a, b)] = self.solver.addBinary()
        return self.edges[pair(a, b)]

    def way(self, start: int, goal: int, kept: set[tuple[int, int]], ordered: bool) -> Any:
        """Edges on a way over kept edges, and where `ordered` over arcs as well; None: no way."""
        came: dict[int, tuple[int, tuple[int, int] | None]] = {start: (start, None)}
        front = [start]
        while front:
            here = front.pop(0)
            steps = [(b if a == here else a, (a, b)) for a, b in kept if here in (a, b)]
            free = [(b, None) for a, b in self.arcs if a == here] if ordered else []
            for there, edge in [*free, *steps]:
                if there not in came:
                    came[there] = (here, edge)
                    front.append(there)
        if goal not in came:
            return None
        used = []
        while goal != start:
            goal, edge = came[goal]
            if edge:
                used.append(edge)
        return used

    def broken(self, kept: set[tuple[int, int]]) -> list[Any]:
        """Constraints that a solution breaks."""
        found = []
        for a, b in self.forbidden:
            used = self.way(a, b, kept, ordered=False)
            if used is not None:
                found.append(sum(self.edges[e] for e in used) >= 1)
        for a, b in self.arcs:
            if self.way(a, b, kept, ordered=False) is not None:
                continue
            used = self.way(b, a, kept, ordered=True)
            if used is not None:
                own = self.edges.get(pair(a, b), 1)
                found.append(sum(self.edges[e] for e in used) >= own)
        return found

    def least(self) -> float:
        while True:
            self.solver.minimize(self.cost)
            assert self.solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
            values = {e: self.solver.val(v) for e, v in self.edges.items()}
            constraints = self.broken({e for e, value in values.items() if value < 0.5})
            if not constraints:
                return self.constant + float(self.solver.getObjectiveValue())
            for constraint in constraints:
                self.solver.addConstr(constraint)
