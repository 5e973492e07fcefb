"""Random loops that write arrays piecewise, and their readers, under every pass: NumPy's values.

``PROPERTY_PROGRAMS`` says how many, ``PROPERTY_SEED`` which.
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy
import pytest

import hassium as np

COUNT = int(os.environ.get("PROPERTY_PROGRAMS", "200"))
SEED = int(os.environ.get("PROPERTY_SEED", "0"))
ENGINES: tuple[dict[str, Any], ...] = (
    {"reroll": "on", "forward_copies": "on"},
    {"reroll": "on", "forward_copies": "on", "partitioner": "singleton"},
    {"reroll": "on", "forward_copies": "on", "threads": 3, "parallelize": "on", "sweep": "on"},
    {"reroll": "off", "forward_copies": "on", "partitioner": "linear"},
    {"reroll": "on", "rewrite": "auto", "queue_instructions": 7},
    {"executor": "reference"},
)


class Writer:
    """Text of a program over arrays of one shape; a cut of each axis into grids with a step."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rank = rng.choice([1, 1, 2, 2, 2, 3])
        longest = {1: 97, 2: 26, 3: 10}[self.rank]
        self.steps = [rng.choice([1, 2, 2, 3, 4, 7]) for _ in range(self.rank)]
        self.shape = tuple(
            step * rng.randint(1, max(1, longest // step)) + rng.choice([0, 0, 0, 1, step - 1])
            for step in self.steps
        )
        self.dtype = rng.choice(["f8", "f8", "i4", "f4", "i8", "c16", "i1", "?"])
        self.names = ["x", "y"]
        self.lines: list[str] = []

    def grid(self, offsets: tuple[int, ...]) -> str:
        cuts = []
        for offset, step in zip(offsets, self.steps, strict=True):
            cuts.append(f"{offset}::{step}" if step > 1 else ":")
        return "[" + ", ".join(cuts) + "]"

    def offsets(self) -> list[tuple[int, ...]]:
        every: list[tuple[int, ...]] = [()]
        for step, extent in zip(self.steps, self.shape, strict=True):
            every = [(*o, k) for o in every for k in range(min(step, extent))]
        return every

    def value(self, grid: str) -> str:
        rng, read = self.rng, lambda: rng.choice(self.names)
        if self.dtype == "?":
            return rng.choice([f"{read()}{grid} ^ {read()}{grid}", f"~{read()}{grid}", "True"])
        constant = rng.choice(["2", "3", "1", "k"])
        return rng.choice(
            [
                f"{read()}{grid} * {constant} + {read()}{grid}",
                f"{read()}{grid} - {read()}{grid}",
                f"-{read()}{grid}",
                f"{read()}{grid}",
                f"({read()}{grid} + 1) * ({read()}{grid} - {constant})",
                constant,
            ]
        )

    def piecewise(self, target: str) -> None:
        """All grids of the target, some or all by one expression; now and then one twice."""
        rng = self.rng
        offsets = self.offsets()
        if rng.random() < 0.3:
            rng.shuffle(offsets)
        if rng.random() < 0.2:
            offsets = offsets[: rng.randint(1, len(offsets))]
        if rng.random() < 0.2:
            offsets.append(rng.choice(offsets))
        shared = self.value("GRID") if rng.random() < 0.6 else ""
        for k, offset in enumerate(offsets):
            grid = self.grid(offset)
            right = (shared or self.value("GRID")).replace("GRID", grid)
            self.lines.append(f"{target}{grid} = {right.replace('k', str(k % 5 + 1))}")

    def views(self, name: str) -> str:
        cut = self.rng.choice(["", "[::-1]", "[1:]", "[..., ::2]", "[..., 1:]", ".T"])
        return f"{name}{cut}"

    def text(self) -> str:
        rng = self.rng
        for number in range(rng.randint(1, 3)):
            target = f"t{number}"
            full = rng.random() < 0.5
            make = f"np.full(x.shape, x.dtype.type(5), '{self.dtype}')" if full else "x.copy()"
            self.lines.append(f"{target} = {make}")
            self.piecewise(target)
            self.names.append(target)
        if rng.random() < 0.4:
            self.piecewise("x")
        if rng.random() < 0.7:
            read = rng.choice(self.names[2:])
            other = rng.choice(self.names)
            join = "^" if self.dtype == "?" else rng.choice("+-*")
            self.lines.append(f"r = {read} {join} {other}")
        else:
            self.lines.append(f"r = {self.views(rng.choice(self.names[2:]))} * 1")
        # What is deleted lives in the flush alone.
        gone = [name for name in self.names[2:] if rng.random() < 0.7]
        if gone:
            self.lines.append("del " + ", ".join(gone))
        return "\n".join(self.lines)


def run(xp: Any, text: str, x: Any, y: Any) -> dict[str, Any]:
    names = {"np": xp, "x": x, "y": y}
    exec(text, names)
    del names["np"], names["__builtins__"]
    return {name: numpy.asarray(value) for name, value in names.items()}


@pytest.mark.parametrize("part", range(4))
def test_values_are_numpys(part: int) -> None:
    for number in range(part, COUNT, 4):
        writer = Writer(random.Random(SEED * 1_000_003 + number))
        text = writer.text()
        values = numpy.random.default_rng(number).integers(-9, 9, (2, *writer.shape))
        x, y = values.astype(writer.dtype)
        expected = run(numpy, text, x.copy(), y.copy())
        for engine in ENGINES:
            with np.config(eager_elements=0, verify=True, **engine):
                found = run(np, text, np.array(x), np.array(y))
            for name, value in expected.items():
                where = f"program {number} under {engine}: {name}\n{writer.shape}\n{text}"
                assert found[name].dtype == value.dtype, where
                assert found[name].tobytes() == value.tobytes(), where
