"""The partitioner `ilp`: integer programs for combinators and for programs of instructions.

The form is that of "Fusing Gathers with Integer Linear Programming" (Fig. 4) with its errata:
results of the program are stored, an order belongs to an access and not to an array, scatters run
forward or backward, and users of a destination exclude the scatter itself. Positions are continuous
(positions.py) and orders are columns of 0 and 1, for orders that can reach a member.

A greedy partition comes first; it is the answer if time runs out. The program is then solved as it
is. If that takes longer than a moment, rows are added that state which paths of pairs cannot all be
fused (paths.py): from one order to another, from a stored array to the order of a gather, from a
dependency's end back to its start. Every answer is priced again from its partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hassium import debug
from hassium.wsp import costs, greedy, orders
from hassium.wsp.combinators import (
    BACKWARD,
    FORWARD,
    KINDS,
    NONE,
    OWN,
    Program,
)
from hassium.wsp.paths import Paths
from hassium.wsp.positions import APART, Positions, pair_of
from hassium.wsp.solver import Clock, Linear

MOMENT = 1.0  # seconds before rows are added
MOST_ROUNDS = 30  # of adding rows to the relaxation


class Combinators(Positions):
    """The integer program of a program of combinators."""

    def __init__(self, program: Program, cost: costs.Cost) -> None:
        self.program, self.cost = program, cost
        self.names = list(program.members)
        self.number = {name: k for k, name in enumerate(self.names)}
        arcs: dict[tuple[int, int], bool] = {}
        for arc in program.arcs:
            pair = self.number[arc.before], self.number[arc.after]
            arcs[pair] = arcs.get(pair, True) and arc.fusible
        super().__init__(len(self.names), arcs)
        self.stored = [
            APART if name in program.always_stored else self.model.column() for name in self.names
        ]
        self.orders: list[dict[int, Linear]] = [{} for _ in self.names]
        self.sharing: dict[tuple[tuple[int, int], tuple[int, int]], Linear] = {}
        for arc in program.arcs:
            if arc.reads:
                a, b = self.number[arc.before], self.number[arc.after]
                self.model.at_least(self.stored[a], self.apart(a, b))
        self.add_orders()
        self.add_cost()

    def labels(self) -> list[set[int]]:
        """Returns the orders of gathers in which each member can run."""
        found: list[set[int]] = [set() for _ in self.names]
        for member in reversed(self.program.members.values()):
            reader = self.number[member.name]
            for array, order in member.accesses:
                maker = self.program.members.get(array)
                if maker and not KINDS[maker.kind].runs and array not in self.program.always_stored:
                    found[self.number[array]] |= found[reader] if order == OWN else {order}
        return [{label for label in labels if label != NONE} for labels in found]

    def add_orders(self) -> None:
        """Adds for each member and order a column that is 1 if it runs so; else it runs forward."""
        backward = any(m.kind == "scanr" for m in self.program.members.values())
        for k, labels in enumerate(self.labels()):
            kind = self.program.members[self.names[k]].kind
            if kind == "scanr":
                self.orders[k] = {BACKWARD: APART}
            elif kind != "scanl":
                wanted = sorted(labels) + ([BACKWARD] if backward else [])
                self.orders[k] = {order: self.model.binary() for order in wanted}
                gathered = sum((self.orders[k][label] for label in sorted(labels)), Linear())
                if labels:
                    self.model.at_least(APART - self.stored[k], gathered)
                if backward:
                    self.model.at_least(APART, gathered + self.orders[k][BACKWARD])
        for member in self.program.members.values():
            for access in member.accesses:
                a, b = self.number.get(access.array, -1), self.number[member.name]
                if (a, b) in self.columns:
                    self.same_order((a, OWN), (b, access.order), self.columns[a, b])

    def same_order(self, one: tuple[int, int], other: tuple[int, int], unless: Linear) -> None:
        """Requires equal orders of two accesses: a member, and OWN or the label of the gather."""
        first, second = self.order_of(*one), self.order_of(*other)
        for order in sorted(first.keys() | second.keys()):
            difference = first.get(order, Linear()) - second.get(order, Linear())
            self.model.at_least(unless, difference)
            self.model.at_least(unless, difference * -1)

    def order_of(self, member: int, order: int) -> dict[int, Linear]:
        return self.orders[member] if order == OWN else {order: APART}

    def shared(self, one: tuple[int, int], other: tuple[int, int]) -> Linear:
        """Returns 0 only if two accesses to an array share a block and an order; `one` is first."""
        a, b = one[0], other[0]
        static = {order for _, order in (one, other) if order != OWN}
        meets = all(
            label in self.orders[member]
            for member, label in ((a, other[1]), (b, one[1]))
            if label != OWN
        )
        if a == b or len(static) > 1 or not meets or pair_of(a, b) in self.never:
            return APART
        if (one, other) not in self.sharing:
            plain = not static and not self.orders[a] and not self.orders[b]
            apart = self.apart(a, b) if plain else self.model.binary()
            if not plain:
                self.same_position(a, b, apart)
                self.same_order(one, other, apart)
                self.joined.append((a, b, apart))
                if pair_of(a, b) in self.columns:
                    self.model.at_least(apart, self.columns[pair_of(a, b)])
            self.sharing[one, other] = apart
        return self.sharing[one, other]

    def add_cost(self) -> None:
        program, cost, pay = self.program, self.cost, self.model.pay
        if cost.clusters and self.names:
            most = self.model.column(0, len(self.names) - 1)
            for position in self.position:
                self.model.at_least(most, position)
            pay((most + 1) * cost.clusters)
        for arc in program.arcs if cost.edges else []:
            if arc.reads:
                pay(self.apart(self.number[arc.before], self.number[arc.after]) * cost.edges)
        for name, stored in zip(self.names, self.stored, strict=True):
            pay(stored * (cost.stored * cost.weight(program, name)))
        for array in program.readers if cost.reads else []:
            pay(self.reads(array) * (cost.reads * cost.weight(program, array)))
        if cost.works:
            self.add_work()

    def reads(self, array: str) -> Linear:
        """Returns one array's reads from memory: accesses that share nothing with earlier ones."""
        pins: list[tuple[Linear, dict[int, Linear]]] = []
        ordered: list[tuple[int, int]] = []
        made = self.number.get(array)
        for name, order in self.program.readers[array]:
            access = self.number[name], order
            counts = APART if made is None else self.apart(made, access[0])
            apart: dict[int, Linear] = {}
            if order != NONE:
                every = {k: self.shared(before, access) for k, before in enumerate(ordered)}
                apart = {k: column for k, column in every.items() if column is not APART}
                ordered.append(access)
            pins.append((counts, apart))
        return self.leaders(pins)

    def add_work(self) -> None:
        """Adds a column for the number of elements that each member computes."""
        program = self.program
        most = {name: program.elements(name) for name in self.names}
        count: dict[str, Linear] = {}
        for name in reversed(self.names):
            readers = {
                reader: costs.rows(program, name, reader)
                for reader, _ in program.readers[name]
                if pair_of(self.number[name], self.number[reader]) in self.columns
            }
            most[name] = max([most[name], *(r * most[b] for b, r in readers.items())])
            elements = count[name] = self.model.column(0, most[name])
            stored = self.stored[self.number[name]]
            self.model.at_least(elements, stored * program.elements(name))
            for reader, r in readers.items():
                apart = self.apart(self.number[name], self.number[reader])
                self.model.at_least(elements, (count[reader] - apart * most[reader]) * r)
            self.model.pay(elements * program.members[name].work)

    def order_paths(self) -> Paths:
        """Returns paths between members and known orders, over pairs that are fused."""
        labels = sorted({o for m in self.program.members.values() for _, o in m.accesses if o > 1})
        known = {order: len(self.names) + k for k, order in enumerate([FORWARD, BACKWARD, *labels])}
        paths = Paths(len(self.names) + len(known))
        for member in self.program.members.values():
            b = self.number[member.name]
            for order in KINDS[member.kind].runs if len(KINDS[member.kind].runs) == 1 else ():
                paths.edge(b, known[order], Linear())
            for array, order in member.accesses:
                a = self.number.get(array, -1)
                if (a, b) in self.columns:
                    to = b if order == OWN else known[order]
                    paths.edge(a, to, self.columns[a, b])
        for k, stored in enumerate(self.stored):
            own = [self.number[r] for r, o in self.program.readers[self.names[k]] if o == OWN]
            fusible = [b for b in own if (k, b) in self.columns]
            for a, b in zip(fusible, fusible[1:], strict=False):
                paths.edge(a, b, stored)
            for label in labels:
                paths.demand(known[label], k, stored)
        for at, order in enumerate(known):
            for other in list(known)[:at]:
                paths.demand(known[order], known[other], APART)
        return paths

    def cycles(self) -> Paths:
        """As in general; and an array that is not stored has all its readers in one block."""
        paths = super().cycles()
        for k, stored in enumerate(self.stored):
            readers = [self.number[reader] for reader, _ in self.program.readers[self.names[k]]]
            for a, b in zip(readers, readers[1:], strict=False):
                if stored is not APART:
                    paths.edge(a, b, stored)
        return paths

    def needed(self) -> list[Paths]:
        return []

    def helpful(self) -> list[Paths]:
        return [self.order_paths(), self.cycles()]


class Instructions(Positions):
    """The integer program of an abstract instance (`hassium.debug.instance`).

    Two instructions that may not share a block need not be ordered; rows that keep them unconnected
    are added where a solution connects them.
    """

    def __init__(self, instance: dict[str, Any]) -> None:
        self.forbidden = {pair_of(a, b) for a, b in instance["forbidden"]}
        arcs = {(a, b): pair_of(a, b) not in self.forbidden for a, b in instance["dependencies"]}
        super().__init__(instance["size"], arcs)
        self.never |= self.forbidden
        self.model.pay(Linear(constant=instance["constant"]))
        for weight, pins in instance["nets"]:
            ordered = sorted(pins)
            wanted: list[tuple[Linear, dict[int, Linear]]] = []
            for k, pin in enumerate(ordered):
                every = {j: self.apart(ordered[j], pin) for j in range(k)}
                wanted.append((APART, {j: c for j, c in every.items() if c is not APART}))
            self.model.pay((self.leaders(wanted) - 1) * weight)

    def needed(self) -> list[Paths]:
        paths = Paths(len(self.position))
        for a, b, apart in self.joined:
            paths.edge(a, b, apart)
        for a, b in self.forbidden:
            paths.demand(a, b, APART)
        return [paths]

    def helpful(self) -> list[Paths]:
        return [self.cycles()]


def search(
    form: Combinators | Instructions,
    greedy_blocks: list[list[int]],
    price: Callable[[list[list[int]]], float],
    seconds: float,
) -> dict[str, Any]:
    """Returns the best partition within the time, as `hassium.debug.partition` does."""
    clock = Clock(seconds)
    best, bound = (price(greedy_blocks), greedy_blocks), -math.inf
    needed, helpful = form.needed(), form.helpful()
    tightened = False
    while clock.left() > 0:
        answer = form.model.solve(clock.left() if tightened else min(MOMENT, clock.left()))
        bound = max(bound, answer.bound)
        rows = broken(needed, answer.values) if answer.values is not None else []
        if answer.values is not None and not rows:
            blocks = [list(block) for block in form.blocks(answer.values)]
            best = min(best, (price(blocks), blocks), key=lambda one: one[0])
        if not rows and (answer.optimal or tightened):
            break
        form.model.rows += rows
        if not tightened and not answer.optimal:
            bound = max(bound, tighten(form, [*needed, *helpful], clock))
            tightened = True
    cost, blocks = best
    bound = min(bound, cost)
    optimal = cost - bound <= 1e-6 * max(1.0, abs(cost))
    bound = cost if optimal else max(bound, 0.0)
    return {
        "cost": cost,
        "blocks": blocks,
        "optimal": optimal,
        "bound": bound,
        "seconds": clock.spent(),
    }


def broken(paths: list[Paths], values: Any) -> list[Linear]:
    return [row for one in paths for row in one.violated(values)]


def tighten(form: Combinators | Instructions, paths: list[Paths], clock: Clock) -> float:
    """Adds rows violated by the relaxation, until none is or time is short; returns a bound."""
    bound, share = -math.inf, Clock(clock.left() / 4)
    for _ in range(MOST_ROUNDS):
        answer = form.model.solve(share.left(), relaxed=True)
        if not answer.optimal:
            break
        bound = answer.bound
        rows = broken(paths, answer.values)
        if not rows:
            break
        form.model.rows += rows
    return bound


def partition_combinators(program: Program, cost: costs.Cost, seconds: float) -> dict[str, Any]:
    clock = Clock(seconds)
    first = greedy.cheaper(program, cost)
    form = Combinators(program, cost)
    names = form.names

    def named(blocks: list[list[int]]) -> list[list[str]]:
        return [[names[k] for k in block] for block in blocks]

    result = search(
        form,
        [[form.number[name] for name in block] for block in first],
        lambda blocks: costs.price(program, named(blocks), cost),
        clock.left(),
    )
    ordered = orders.check(program, named(result["blocks"]))
    return result | {"blocks": costs.connected(program, ordered, cost), "seconds": clock.spent()}


def partition_instructions(
    text: str, cost_model: str, unit: str, legality: str, seconds: float
) -> dict[str, Any]:
    """Partitions a program in text form; see `hassium.debug.partition`."""
    if cost_model == "machine":
        raise ValueError("the cost model 'machine' is no integer program: choose another one")
    clock = Clock(seconds)
    first = debug.partition(text, "greedy", cost_model, unit=unit, legality=legality)
    form = Instructions(debug.instance(text, cost_model, unit=unit, legality=legality))

    def ordered(blocks: list[list[int]]) -> list[list[int]]:
        block_of = {member: k for k, block in enumerate(blocks) for member in block}
        order = orders.in_execution_order(
            len(blocks), ((block_of[a], block_of[b]) for a, b in form.arcs)
        )
        assert order is not None
        return [sorted(blocks[k]) for k in order]

    def price(blocks: list[list[int]]) -> float:
        return debug.cost(text, ordered(blocks), cost_model, unit=unit, legality=legality)

    result = search(form, first["blocks"], price, clock.left())
    return result | {"blocks": ordered(result["blocks"]), "seconds": clock.spent()}
