"""Exhaustive search, for a dozen members: the reference for the other searches.

A partition in execution order is a chain of dependency-closed sets of members, from the empty set
to all; each step adds a block. All costs are sums over blocks, so the cheapest chain to each set is
found from those to smaller sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from hassium.wsp import costs, orders
from hassium.wsp.combinators import Program

MOST = 14  # members


def cheapest(needs: list[int], price: Callable[[int], float | None]) -> list[int]:
    """Returns the blocks of the best partition; raises ValueError for too many members.

    Sets are bit masks: `needs` has for each member those that run before it or in its block,
    `price` returns the cost of a block, or None if it is illegal.
    """
    if len(needs) > MOST:
        raise ValueError(f"exhaustive search takes at most {MOST} members, not {len(needs)}")
    everything = (1 << len(needs)) - 1
    priced = cache(price)
    best: dict[int, tuple[float, int]] = {0: (0.0, 0)}  # by set: the cost and the last block
    for done in range(everything):
        if done not in best:
            continue
        left = block = everything & ~done
        while block:
            if all(need & ~(done | block) == 0 for need in of(needs, block)):
                paid = priced(block)
                if paid is not None:
                    chain = best[done][0] + paid, block
                    best[done | block] = min(best.get(done | block, chain), chain)
            block = (block - 1) & left
    chain_of_blocks = []
    at = everything
    while at:
        chain_of_blocks.append(best[at][1])
        at &= ~best[at][1]
    return chain_of_blocks[::-1]


def of(members: list[Any], block: int) -> list[Any]:
    return [member for k, member in enumerate(members) if block >> k & 1]


def before(members: int, arcs: Iterable[tuple[int, int]]) -> list[int]:
    needs = [0] * members
    for a, b in arcs:
        needs[b] |= 1 << a
    return needs


def partition(program: Program, cost: costs.Cost) -> list[list[str]]:
    """Returns the cheapest legal partition of a program of combinators."""
    names = list(program.members)
    number = {name: k for k, name in enumerate(names)}

    def price(block: int) -> float | None:
        members = of(names, block)
        if orders.refusal(program, members):
            return None
        return costs.block_cost(program, members, cost) + cost.clusters

    arcs = [(number[arc.before], number[arc.after]) for arc in program.arcs]
    blocks = cheapest(before(len(names), arcs), price)
    return costs.connected(program, [of(names, block) for block in blocks], cost)


def partition_instance(instance: dict[str, Any]) -> list[list[int]]:
    """Returns the cheapest legal partition of an abstract instance (`hassium.debug.instance`)."""
    forbidden = [1 << a | 1 << b for a, b in instance["forbidden"]]
    nets = [(weight, sum(1 << pin for pin in pins)) for weight, pins in instance["nets"]]

    def price(block: int) -> float | None:
        if any(pair & block == pair for pair in forbidden):
            return None
        return float(sum(weight for weight, pins in nets if pins & block))

    size = instance["size"]
    blocks = cheapest(before(size, instance["dependencies"]), price)
    return [of(list(range(size)), block) for block in blocks]
