"""Two small programs on which greedy fusion takes many times as long as the best partition.

    python -m benchmarks.greedy_traps [--elements N] [--rounds N]

They are the counter-examples of "Fusing Gathers with Integer Linear Programming", section 5, in
combinators and in instructions. The partitions of the paper's greedy baselines and of the integer
program are run by the same engine, alternating; times are the least over rounds. Needs highspy.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

from benchmarks.partition import markdown
from hassium import debug
from hassium.wsp import combinators, costs, greedy, ilp


class Trap(NamedTuple):
    """A program in two forms, with the same array names."""

    combinators: str
    instructions: str


def bottom_up(elements: int) -> Trap:
    """Greedy fuses the last map with one of two folds, which separates them: `large` is stored."""
    rows, columns = max(elements // 10_000, 1), 10_000
    large = f"large[0+({rows}:{columns},{columns}:1)]"
    return Trap(
        f"""
        input xs {rows}
        is = generate size={rows * columns}
        large = gather is xs
        ys = fold large size={rows}
        zs = fold large size={rows}
        result = map ys ! zs
        return result
        """,
        f"""
        base xs float64 {rows} input
        base large float64 {rows * columns}
        base ys float64 {rows}
        base zs float64 {rows}
        base result float64 {rows}
        copy {large} xs[0+({rows}:1,{columns}:0)]
        add.reduce axis=1 ys {large}
        maximum.reduce axis=1 zs {large}
        add result ys zs[0+({rows}:0)]
        del large
        del ys
        del zs
        """,
    )


def top_down(elements: int) -> Trap:
    """Greedy fuses the second map with the first, which is stored anyway: both are stored."""
    return Trap(
        f"""
        input as {elements}
        bs = map as
        cs = map bs
        ds = generate ! bs size={elements}
        es = map cs ds
        result = fold es size=1
        return result
        """,
        f"""
        base as float64 {elements} input
        base bs float64 {elements}
        base cs float64 {elements}
        base ds float64 {elements}
        base es float64 {elements}
        base result float64 1
        multiply bs as 2.0
        add cs bs 1.0
        arange ds 0.0 1.0
        add ds ds bs[0+({elements}:0)]
        add es cs ds
        add.reduce axis=0 result[0+()] es
        del bs
        del cs
        del ds
        del es
        """,
    )


TRAPS = {"greedyBottomUpBad": bottom_up, "greedyTopDownBad": top_down}


def instruction_blocks(trap: Trap, blocks: list[list[str]]) -> list[list[int]]:
    """Returns the same blocks of instructions: each belongs to the array that it computes.

    A `del` belongs to the last block that uses its array.
    """
    lines = [line.split() for line in trap.instructions.splitlines() if line.split()]
    words = [[word.partition("[")[0] for word in line] for line in lines if line[0] != "base"]
    found: list[list[int]] = [[] for _ in blocks]
    for number, line in enumerate(words):
        if line[0] == "del":
            uses = [k for k, block in enumerate(found) for i in block if line[1] in words[i]]
            found[max(uses)].append(number)
        else:
            made = line[2] if "=" in line[1] else line[1]
            home = next(k for k, block in enumerate(blocks) if made in block)
            found[home].append(number)
    return [block for block in found if block]


def partitions(trap: Trap) -> dict[str, list[list[int]]]:
    program, cost = combinators.parse(trap.combinators), costs.find("bytes")
    found = {
        "top-down": greedy.partition(program, bottom_up=False),
        "bottom-up": greedy.partition(program, bottom_up=True),
        "ilp": ilp.partition_combinators(program, cost, 10)["blocks"],
    }
    return {name: instruction_blocks(trap, blocks) for name, blocks in found.items()}


def table(elements: int, rounds: int) -> str:
    rows = []
    for name, write in TRAPS.items():
        trap = write(elements)
        chosen = partitions(trap)
        seconds = [
            {key: debug.run_seconds(trap.instructions, b) for key, b in chosen.items()}
            for _ in range(rounds)
        ]
        least = {key: min(row[key] for row in seconds) for key in chosen}
        times = [f"{1e3 * least[key]:.2f}" for key in chosen]
        ratios = [f"{least[key] / least['ilp']:.2f}" for key in ("top-down", "bottom-up")]
        rows.append([name, *times, *ratios])
    head = ["ms", "top-down", "bottom-up", "ilp", "top-down / ilp", "bottom-up / ilp"]
    return markdown(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--elements", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    known = parser.parse_args()
    print(table(known.elements, known.rounds))


if __name__ == "__main__":
    main()
