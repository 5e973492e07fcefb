"""Instruction streams of programs, recorded by hassium itself.

    python -m benchmarks.capture [PROGRAM ...] [--iterations K] [--folder OUT]

writes one steady-state iteration of each program at a small size, or K of them, in text form.
Without arguments it writes the files in `bytecode/`, of the fifteen programs of the paper.

A program runs unchanged, with a queue that never flushes by itself. Values that it reads in its
loop stay pending: `float` is replaced by a function that holds its argument, so the loop stays one
stream. K periods of the stream's opcodes, by their shortest period, are cut from the middle, at the
point of the period where the fewest bases are in use on both sides. Bases that were used before the
cut become inputs.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import hassium
from benchmarks.scripts import NAMES, load
from hassium import debug

FOLDER = Path(__file__).resolve().parent / "bytecode"
QUEUE = {"queue_instructions": 1_048_576, "pending_bytes": 1_099_511_627_776}
CAPTURED = sorted(path.stem for path in FOLDER.glob("*.txt"))
SETTINGS: dict[str, Any] = QUEUE | {
    "eager_elements": 0,
    "lazy": True,
    "cache": False,
    "lazy_scalars": "on",  # no value is needed before the end
    "reroll": "off",  # the stream as written
    "executor": "tile",  # the reference executor partitions nothing, so it shows no flushes
}
AROUND = 8  # iterations recorded in addition to the requested ones
NAME = re.compile(r"\bb\d+\b")


def size_for(name: str, iterations: int) -> tuple[int, ...]:
    """Returns the small size with enough steps; eliminations have as many steps as rows."""
    small: tuple[int, ...] = load(name).SIZES["small"]
    if len(small) == 2 and small[-1] == 1:
        return max(small[0], iterations + AROUND), 1
    return (*small[:-1], iterations + AROUND)


def record(name: str, size: tuple[int, ...]) -> str:
    """Returns the longest flush of a run, as text."""
    script, kept = load(name), []

    def keep(value: Any) -> float:
        kept.append(value)
        return 1.0

    hassium.flush()
    vars(script)["float"] = keep
    try:
        with hassium.config(**SETTINGS), debug.capture() as flushes:
            result = script.run(hassium, size, "float64")
    finally:
        del vars(script)["float"]
    del result
    return max((flush.program for flush in flushes), key=len)


def split(text: str) -> tuple[dict[str, str], list[str]]:
    """Returns declarations by name, and instructions."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    bases = [line.split() for line in lines if line.startswith("base ")]
    declared = {words[1]: " ".join(words[2:4]) for words in bases}
    inputs = {words[1] for words in bases if words[-1] == "input"}
    declared |= {name: declared[name] + " input" for name in inputs}
    return declared, [line for line in lines if not line.startswith("base ")]


def period_of(opcodes: list[str]) -> int:
    """Returns the shortest period of the middle half."""
    begin, end = len(opcodes) // 4, 3 * len(opcodes) // 4
    for period in range(1, (end - begin) // 2):
        if all(opcodes[k] == opcodes[k + period] for k in range(begin, end - period)):
            return period
    raise ValueError("no period: record more iterations")


def in_use(lines: list[str], cuts: range) -> dict[int, int]:
    """Returns for each cut how many bases are used before it and, except by a del, after it."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for k, line in enumerate(lines):
        for name in NAME.findall(line):
            first.setdefault(name, k)
            last[name] = k
    return {cut: sum(first[name] < cut <= last[name] for name in first) for cut in cuts}


def cut_out(text: str, iterations: int) -> str:
    """Returns that many periods from the middle of a stream, as a complete program."""
    declared, lines = split(text)
    period = period_of([line.split()[0] for line in lines])
    middle = (len(lines) - iterations * period) // 2 // period * period
    crossing = in_use(lines, range(middle, middle + period))
    begin = min(crossing, key=lambda cut: (crossing[cut], cut))
    chosen = lines[begin : begin + iterations * period]
    before = {name for line in lines[:begin] for name in NAME.findall(line)}
    names: dict[str, str] = {}
    bases = []
    for name in [name for line in chosen for name in NAME.findall(line)]:
        if name in names:
            continue
        names[name] = f"b{len(names)}"
        declaration = declared[name].removesuffix(" input")
        exists = name in before or declared[name].endswith(" input")
        bases.append(f"base {names[name]} {declaration}{' input' if exists else ''}")
    renamed = [NAME.sub(lambda found: names[found[0]], line) for line in chosen]
    return "\n".join([*bases, *renamed, ""])


def capture(name: str, iterations: int = 1) -> str:
    """Returns iterations of one program, with a comment that describes them."""
    size = size_for(name, iterations)
    body = cut_out(record(name, size), iterations)
    count = f"{iterations} iterations" if iterations > 1 else "One iteration"
    return f"# {count} of {name} at size {'*'.join(map(str, size[:-1]))}.\n{body}"


def stored(name: str) -> str:
    """Returns the text of the file that is checked in."""
    return (FOLDER / f"{name}.txt").read_text()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: as stored")
    parser.add_argument("--iterations", type=int, default=1, metavar="K")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="OUT")
    known = parser.parse_args()
    if known.iterations < 1 or not set(known.programs) <= set(NAMES):
        parser.error(f"K is 1 or more, PROGRAM one of {', '.join(NAMES)}")
    known.folder.mkdir(parents=True, exist_ok=True)
    for name in known.programs or CAPTURED:
        text = capture(name, known.iterations)
        (known.folder / f"{name}.txt").write_text(text)
        print(f"{name}: {len(split(text)[1])} instructions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
