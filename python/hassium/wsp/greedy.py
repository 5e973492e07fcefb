"""The greedy baselines of "Fusing Gathers with Integer Linear Programming", section 5.

Pairs of combinators are fused one after another, if a legal partition remains with all pairs fused
so far: producers and readers first, then two readers of one array. `top-down` begins with the first
pairs of the program, `bottom-up` with the last. No further pair of the result can be fused.
"""

from __future__ import annotations

from hassium.wsp import costs
from hassium.wsp.combinators import NONE, Program
from hassium.wsp.orders import Merger


def pairs(program: Program) -> list[tuple[str, str]]:
    """Returns producers and readers that may share a block, by the position of the producer."""
    place = {name: k for k, name in enumerate(program.members)}
    fusible = [(arc.before, arc.after) for arc in program.arcs if arc.fusible]
    return sorted(fusible, key=lambda pair: (place[pair[0]], place[pair[1]]))


def sharing(program: Program) -> list[tuple[str, str]]:
    """Returns neighbouring readers of one array."""
    found = []
    for readers in program.readers.values():
        names = list(dict.fromkeys(name for name, order in readers if order != NONE))
        found += list(zip(names, names[1:], strict=False))
    return list(dict.fromkeys(found))


def partition(program: Program, bottom_up: bool) -> list[list[str]]:
    merger = Merger(program)
    step = -1 if bottom_up else 1
    for wanted in (pairs(program), sharing(program)):
        for a, b in wanted[::step]:
            if b not in merger.block_of[a]:
                merger.merge(a, b)
    return costs.connected(program, merger.blocks(), costs.COSTS["traffic"])


def cheaper(program: Program, cost: costs.Cost) -> list[list[str]]:
    """Returns the cheaper of both directions."""
    both = [partition(program, bottom_up) for bottom_up in (False, True)]
    return min(both, key=lambda blocks: costs.price(program, blocks, cost))
