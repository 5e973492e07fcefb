"""Measures one small array operation in Python: NumPy and hassium side by side.

    python benchmarks/record.py [--rounds N] [--json FILE]

Rows marked `record` need no value: what hassium queues is flushed outside the timed region. Rows
marked `read` need one each time. The column `queued` is hassium without its eager path, which runs
small operations at the call: every operation is recorded, and reading flushes. Every figure is the
median over many rounds, in nanoseconds a statement, less that of an empty statement; rounds
alternate between the columns so that all see the same machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy

import hassium

RECORD, READ = "record", "read"
BATCH = {RECORD: 200, READ: 50}  # statements timed at once; less than fills a queue

SETUP = """
a, b, c = np.arange(10.0), np.ones(10), None
rest, square = np.ones(9), np.ones((10, 10))
long, factor = np.arange(1000.0), np.full(1000, 0.5)
# NumPy's arrays, as SciPy, pandas or a callback hands them over, and others beside them.
v100, v3k, v10k = (numpy.arange(n) / n for n in (100, 3_000, 10_000))
h100, h3k = np.arange(100) / 100, np.arange(3_000) / 3_000
wide = np.ones((200, 250))
# A sparse matrix by rows, each with ten elements.
data, columns = numpy.ones(500), numpy.arange(500, dtype="i4") * 7 % 100
starts, product = numpy.arange(0, 501, 10), np.zeros(50)
"""

TEN_OPERATIONS = """
c = long * factor
c = c + long
c = c * c
c = c - factor
c = np.sqrt(np.abs(c))
c = c / 3.0
c = np.maximum(c, factor)
c = c + 1.0
c = c * factor
x = float(c[500])
"""


SPARSE = """
for i in range(50):
    row = slice(starts[i], starts[i + 1])
    product[i] = data[row] @ h100[columns[row]]
"""


@dataclass(frozen=True)
class Row:
    name: str
    kind: str
    statement: str


ROWS = [
    Row("a + b", RECORD, "c = a + b"),
    Row("a + 1.0", RECORD, "c = a + 1.0"),
    Row("np.sqrt(a)", RECORD, "c = np.sqrt(a)"),
    Row("square[1:-1, 1:-1]", RECORD, "c = square[1:-1, 1:-1]"),
    Row("square.T", RECORD, "c = square.T"),
    Row("a.shape", RECORD, "c = a.shape"),
    Row("a[1:] = rest", RECORD, "a[1:] = rest"),
    Row("np.zeros(10)", RECORD, "c = np.zeros(10)"),
    Row("a[3]", READ, "x = a[3]"),
    Row("a[3] = 1.5", READ, "a[3] = 1.5"),
    Row("float(a.sum())", READ, "x = float(a.sum())"),
    Row("float((a + b)[3])", READ, "x = float((a + b)[3])"),
    Row("ten operations on 1,000", READ, TEN_OPERATIONS),
    Row("v * h, 100", RECORD, "c = v100 * h100"),
    Row("v * h, 3,000", RECORD, "c = v3k * h3k"),
    Row("v < h, 100", RECORD, "c = v100 < h100"),
    Row("v += h, 100", RECORD, "w = v100; w += h100"),
    Row("v @ h, 100", READ, "x = float(v100 @ h100)"),
    Row("np.dot(v, v), 100", READ, "x = float(np.dot(v100, v100))"),
    Row("np.dot(v, v), 10,000", READ, "x = float(np.dot(v10k, v10k))"),
    Row("norm(v), 100", READ, "x = float(np.linalg.norm(v100))"),
    Row("norm(v), 10,000", READ, "x = float(np.linalg.norm(v10k))"),
    Row("np.asarray(v), 100", RECORD, "c = np.asarray(v100)"),
    Row("np.result_type(v, h)", RECORD, "c = np.result_type(v100, h100)"),
    Row("np.put of 3", READ, "np.put(a, [1, 5, 9], [1.0, 2.0, 3.0])"),
    Row("einsum of 3,000", READ, "x = float(np.einsum('i,i->', h3k, v3k))"),
    Row("einsum of 50,000", READ, "c = np.einsum('ij,ij->i', wide, wide)"),
    Row("products of sparse rows", READ, SPARSE),
]
COLUMNS: dict[str, tuple[ModuleType, dict[str, int]]] = {
    "numpy": (numpy, {}),
    "hassium": (hassium, {}),
    "queued": (hassium, {"eager_elements": 0}),
}


def sampler(statement: str, column: str, batch: int) -> Callable[[], float]:
    """Returns a function that times one batch and returns nanoseconds per statement."""
    np, settings = COLUMNS[column]
    names: dict[str, object] = {"np": np, "numpy": numpy}
    exec(SETUP, names)  # timeit's own setup would create new arrays for every batch
    timer = timeit.Timer(statement, globals=names)

    def sample() -> float:
        with hassium.config(**settings):
            timer.timeit(batch // 5)  # other work has evicted the caches
            hassium.flush()
            seconds = timer.timeit(batch)
            hassium.flush()
        return seconds / batch * 1e9

    return sample


def measure(rounds: int) -> list[dict[str, object]]:
    """Returns one record per row: median and quartiles of every column."""
    empty = {kind: sampler("pass", "numpy", batch) for kind, batch in BATCH.items()}
    samplers = {
        (row, column): sampler(row.statement, column, BATCH[row.kind])
        for row in ROWS
        for column in COLUMNS
    }
    times: dict[tuple[Row, str], list[float]] = {key: [] for key in samplers}
    warm_up = max(2, rounds // 10)
    for turn in range(-warm_up, rounds):
        floor = {kind: sample() for kind, sample in empty.items()}
        for key in list(samplers)[:: 1 if turn % 2 else -1]:
            took = samplers[key]() - floor[key[0].kind]
            if turn >= 0:
                times[key].append(took)
    return [summary(row, {column: times[row, column] for column in COLUMNS}) for row in ROWS]


def summary(row: Row, times: dict[str, list[float]]) -> dict[str, object]:
    record: dict[str, object] = {"name": row.name, "kind": row.kind}
    for column, samples in times.items():
        low, middle, high = statistics.quantiles(samples, n=4)
        record[column] = {"median": middle, "quartiles": [low, high]}
    record["ratio"] = statistics.median(times["hassium"]) / statistics.median(times["numpy"])
    return record


def table(records: list[dict[str, object]]) -> str:
    heads = "".join(f"{column:>17}" for column in COLUMNS)
    lines = [f"{'':25}{'':8}{heads}{'hassium / numpy':>18}"]
    for record in records:
        cells = ""
        for column in COLUMNS:
            figure = record[column]
            assert isinstance(figure, dict)
            low, high = figure["quartiles"]
            cells += f"{figure['median']:10,.0f} ±{(high - low) / 2:5,.0f}"
        lines.append(f"{record['name']:25}{record['kind']:8}{cells}{record['ratio']:18.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200, help="batches of every row (200)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    known = parser.parse_args()
    if known.rounds < 2:
        parser.error("--rounds must be at least 2")
    records = measure(known.rounds)
    print("nanoseconds a statement, median and half the distance of the quartiles")
    print(table(records))
    if known.json is not None:
        known.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
