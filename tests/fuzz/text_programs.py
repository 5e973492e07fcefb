"""Programs in text form out of any bytes, and what must hold when they are run.

Bytes choose the statements, so a fuzzer that mutates bytes mutates programs. Statements derive from
the op table: maps over views that meet and views that do not, broadcast and strided both ways,
masks, casts, reductions, scans, gathers, deletions and syncs. A statement that is no program (an
output that overlaps an input otherwise than exactly) is left out.

Every partitioner must give the same bits on the tile executor; where all operations are exact, the
reference executor, which runs one instruction at a time, gives them as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy

from hassium import _core, config, debug

COUNT = 24  # elements of every base but the results of reductions
DTYPES = ["float64", "float32", "int64", "int32", "uint8", "bool", "complex128", "float16"]
# Views of a base by the shape of what they show; offset and strides in elements.
VIEWS = {
    (24,): ["[0+(24:1)]", "[23+(24:-1)]"],
    (8,): ["[0+(8:1)]", "[1+(8:1)]", "[8+(8:1)]", "[16+(8:1)]", "[0+(8:2)]", "[1+(8:3)]"]
    + ["[7+(8:-1)]", "[23+(8:-2)]", "[5+(8:0)]"],
    (3, 8): ["[0+(3:8,8:1)]", "[0+(3:1,8:3)]", "[16+(3:-8,8:1)]", "[3+(3:0,8:1)]"],
    (4, 6): ["[0+(4:6,6:1)]", "[0+(4:0,6:1)]", "[18+(4:-6,6:1)]"],
    (2, 4): ["[0+(2:4,4:1)]", "[1+(2:12,4:2)]", "[0+(2:1,4:2)]", "[7+(2:8,4:-1)]"],
    (2, 3, 4): ["[0+(2:12,3:4,4:1)]", "[0+(2:1,3:2,4:6)]", "[20+(2:-12,3:-4,4:1)]"],
    (): ["[0+()]", "[9+()]"],
}
CONSTANTS = ["2", "-1", "0", "3", "1.5", "-0.25", "True", "100:int64"]


def flagged(row: dict[str, Any], flag: str) -> bool:
    return flag in row["flags"]


ROWS = [row for row in _core.op_table() if row["class"] == "map" and row["loops"]]
FOLDS = [row for row in ROWS if row["nin"] == 2 and flagged(row, "reducible")]
EXACT = [row for row in ROWS if flagged(row, "exact")]
ROW_OF = {row["name"]: row for row in _core.op_table()}


class Bytes:
    """Choices out of a string of bytes; zeros when it has come to its end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def left(self) -> int:
        return len(self.data) - self.at

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1, from two bytes where one is not enough."""
        value = 0
        for _ in range(1 if bound <= 256 else 2):
            byte = self.data[self.at] if self.at < len(self.data) else 0
            value, self.at = value * 256 + byte, self.at + 1
        return value % bound

    def of(self, choices: Any) -> Any:
        return choices[self.below(len(choices))]


class Writer:
    """The text so far, and the bases that it may still name."""

    def __init__(self, data: bytes) -> None:
        self.bytes = Bytes(data)
        self.alive: dict[str, str] = {}
        self.lines: list[str] = []
        self.rows = [ROWS, EXACT][self.bytes.below(2)]  # half of all meet the reference's bits
        for number in range(3 + self.bytes.below(4)):
            name, dtype = f"v{number}", self.bytes.of(DTYPES[: 1 + self.bytes.below(len(DTYPES))])
            self.alive[name] = dtype
            fresh = self.bytes.below(2) == 0
            self.lines.append(f"base {name} {dtype} {COUNT}" + ("" if fresh else " input"))
        # Memory is not defined before it is written, so what is no input starts as a constant.
        self.lines += [
            f"copy {line.split()[1]} {'True' if ' bool ' in line else self.bytes.below(3)}"
            for line in self.lines[:]
            if not line.endswith("input")
        ]

    def name(self) -> str:
        return str(self.bytes.of(list(self.alive)))

    def view(self, shape: tuple[int, ...]) -> str:
        return self.name() + str(self.bytes.of(VIEWS[shape]))

    def output(self, shape: tuple[int, ...]) -> str:
        """A view whose elements are all different ones."""
        return self.name() + str(self.bytes.of([v for v in VIEWS[shape] if ":0" not in v]))

    def input(self, shape: tuple[int, ...]) -> str:
        kind = self.bytes.below(8)
        if kind == 0:
            return str(self.bytes.of(CONSTANTS))
        if kind == 1 and shape:
            return self.view((8,) if shape == (3, 8) else ())
        return self.view(shape)

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def offer(self, line: str) -> bool:
        """Append a statement if the text is still a program."""
        self.lines.append(line)
        try:
            debug.partition(self.text(), "singleton")
        except (ValueError, TypeError, IndexError):
            self.lines.pop()
            return False
        return True


def write_map(w: Writer) -> None:
    row, shape = w.bytes.of(w.rows), w.bytes.of(list(VIEWS))
    outs = ",".join(w.output(shape) for _ in range(row["nout"]))
    words = [row["name"], outs, *(w.input(shape) for _ in range(row["nin"]))]
    if w.bytes.below(6) == 0:
        words.append(f"where={w.view(shape)}")
    w.offer(" ".join(words))


def write_copy(w: Writer) -> None:
    shape = w.bytes.of(list(VIEWS))
    w.offer(f"copy {w.output(shape)} {w.input(shape)}")


def write_reduction(w: Writer) -> None:
    rows = [row for row in FOLDS if row in w.rows]
    row, shape = w.bytes.of(rows), w.bytes.of([s for s in VIEWS if s])
    axis = w.bytes.below(len(shape))
    kept = shape[:axis] + shape[axis + 1 :]
    extents, stride = [], 1
    for extent in reversed(kept):
        extents.append(f"{extent}:{stride}")
        stride *= extent
    out = f"{w.name()}[0+({','.join(reversed(extents))})]"
    w.offer(f"{row['name']}.reduce axis={axis} {out} {w.view(shape)}")


def write_scan(w: Writer) -> None:
    rows = [row for row in FOLDS if row in w.rows]
    row, shape = w.bytes.of(rows), w.bytes.of([s for s in VIEWS if s])
    axis = w.bytes.below(len(shape))
    w.offer(f"{row['name']}.accumulate axis={axis} {w.output(shape)} {w.view(shape)}")


def write_gather(w: Writer) -> None:
    """Eight elements of a base, by an index that was made just before."""
    number = len(w.lines)
    if w.offer(f"base i{number} int64 8"):
        w.lines.append(f"arange i{number} {w.bytes.below(4)} {w.bytes.below(3)}")
        w.offer(f"take axis=0 {w.output((8,))} {w.name()}[0+(24:1)] i{number}")


def write_end(w: Writer) -> None:
    if w.bytes.below(2):
        w.offer(f"sync {w.name()}")
    elif len(w.alive) > 2:
        name = w.name()
        if w.offer(f"del {name}"):
            del w.alive[name]


STATEMENTS = [*[write_map] * 6, *[write_copy] * 2, write_reduction, write_scan, write_gather]
STATEMENTS += [write_end]


def program(data: bytes, most: int = 24) -> str:
    """The program that the bytes stand for."""
    writer = Writer(data)
    for _ in range(most):
        if writer.bytes.left() <= 0:
            break
        writer.bytes.of(STATEMENTS)(writer)
    return writer.text()


def statements(text: str) -> list[list[str]]:
    lines = [line.split() for line in text.splitlines()]
    return [words for words in lines if words and words[0] not in ("base", "del", "sync")]


def exact(text: str) -> bool:
    """Whether all its operations promise NumPy's own bits, so that executors cannot differ."""
    inexact = ("complex" in text) or ("float16" in text)
    for words in statements(text):
        row = ROW_OF[re.split(r"[.:]", words[0])[0]]
        if not flagged(row, "exact") or (inexact and row["ulp"]):
            return False
        if flagged(row, "associative") and row["identity"] is None:
            return False  # an extreme: which of 0.0 and -0.0 it takes is not promised
    return True


def same(one: tuple[str, bytes], other: tuple[str, bytes]) -> bool:
    """The same bits, but for nans, whose sign and payload depend on the order of operands."""
    if one[0] != other[0]:
        return False
    mine, theirs = (numpy.frombuffer(data, dtype) for dtype, data in (one, other))
    if mine.dtype.kind == "c":
        mine, theirs = (a.view(a.real.dtype) for a in (mine, theirs))
    equal = mine.view(f"u{mine.itemsize}") == theirs.view(f"u{mine.itemsize}")
    if mine.dtype.kind == "f":
        equal |= numpy.isnan(mine) & numpy.isnan(theirs)
    return bool(equal.all())


def allowed(setting: str) -> list[str]:
    (row,) = (row for row in config.table() if row["name"] == setting)
    return row["allowed"].split()


def ways() -> Iterator[dict[str, str]]:
    """Every partitioner with every cost model on the tile executor, then the reference."""
    # The setting's first word, auto, is the engine's own choice among the others.
    for partitioner in allowed("partitioner")[1:]:
        for cost_model in allowed("cost_model"):
            yield {"partitioner": partitioner, "cost_model": cost_model, "executor": "tile"}
    yield {"executor": "reference"}


def differences(text: str) -> list[str]:
    """What disagrees with one block an instruction, run one by one, in words; empty when all is
    right."""
    found = []
    # A proof can take as long as it likes; what is compared is the best partition by then.
    with numpy.errstate(all="ignore"), config(search_milliseconds=10, sweep="on"):
        with config(sweep="off"):
            expected = debug.run(text, partitioner="singleton", executor="tile")
        for way in ways():
            if way["executor"] == "reference" and not exact(text):
                continue
            result = debug.run(text, **way)
            wrong = [name for name in expected if not same(expected[name], result[name])]
            if wrong or result.keys() != expected.keys():
                found.append(f"{way}: {', '.join(wrong) or 'other bases'}")
    return found


def check(data: bytes) -> None:
    """The property; the message of its failure is a script that shows it again."""
    text = program(data)
    wrong = differences(text)
    if wrong:
        script = f"from hassium import debug\ntext = '''\n{text}'''\n"
        script += "for way in ('singleton', 'linear', 'greedy'):\n    print(debug.run(text, way))\n"
        raise AssertionError("\n".join([*wrong, script]))


def check_words(data: bytes) -> None:
    """Any text at all is either a program or an error that names its line."""
    text = program(data[: len(data) // 2])
    words = text.split(" ")
    noise = Bytes(data[len(data) // 2 :])
    for _ in range(1 + noise.below(3)):
        place = noise.below(max(len(words), 1))
        words[place] = noise.of(["", "base", "9", "[0+(", "-1:0)]", ":int8", "\n", "where=", "nan"])
    try:
        debug.dump(" ".join(words))
    except (ValueError, TypeError, IndexError) as error:
        if not str(error):
            raise AssertionError(f"an error without words for {words}") from error
