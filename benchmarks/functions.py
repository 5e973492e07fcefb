"""Times functions with several passes over memory: `python -m benchmarks.functions`.

    python -m benchmarks.functions [--rounds 15] [--only NAME ...]

Random numbers, ranks, sorted copies, sums of products and transforms, of the sizes in the table, on
one thread and on two, alternating in one process; results are compared, and those that are only
moved or drawn are bit-identical to NumPy's. Figures are medians over rounds: microseconds of a
NumPy call, and speed-ups of the others. `instructions` counts recorded instructions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.in_turn import Loop, Race, main

MANY = (10_000, 1_000_000)


@cache
def numbers(np: Any, *shape: int) -> Any:
    """Returns normal samples; they are made in the first rounds, which are not timed."""
    return np.random.default_rng(1).standard_normal(shape)


def drawn(name: str, legacy: bool = False, **arguments: Any) -> Loop:
    """Returns a loop over a method of NumPy's generator, or of its older one."""

    def code(np: Any, n: int, steps: int) -> Any:
        generator = np.random.RandomState(3) if legacy else np.random.default_rng(3)
        draw = getattr(generator, name)
        for _ in range(steps):
            found = draw(size=n, **arguments)
            found[0].item()  # otherwise overwritten results would not be computed
        return found

    code.__name__ = ("old_" if legacy else "") + name + str(arguments.get("dtype", ""))
    return Loop(code, MANY, 10)


def called(
    name: str, call: Callable[[Any, Any], Any], *shape: int, sizes: tuple[int, ...] = MANY
) -> Loop:
    """Returns a loop over a function of numbers in lines of that shape."""

    def code(np: Any, n: int, steps: int) -> Any:
        lines = 1
        for extent in shape:
            lines *= extent
        x = numbers(np, *shape[:1], n // lines, *shape[1:]) if shape else numbers(np, n)
        for _ in range(steps):
            found = call(np, x)
            np.ravel(found)[0].item()
        return found

    code.__name__ = name
    return Loop(code, sizes, 3)


def scattered(np: Any, x: Any) -> Any:
    """Returns sums of rows with the same key."""
    out = np.zeros((1000, x.shape[2]))
    np.add.at(out, np.arange(x.shape[1]) * 7 % 1000, x[0])
    return out


LOOPS = [
    drawn("random"),
    drawn("random", dtype="f4"),
    drawn("uniform", low=-1.0, high=2.0),
    drawn("standard_normal"),
    drawn("normal", loc=1.0, scale=2.0),
    drawn("standard_exponential"),
    drawn("integers", low=0, high=100),
    drawn("random_sample", legacy=True),
    drawn("standard_normal", legacy=True),
    drawn("randint", legacy=True, low=0, high=100),
    called("median", lambda np, x: np.median(x), sizes=(30_000, 1_000_000)),
    called("percentiles", lambda np, x: np.percentile(x, [5, 50, 95]), sizes=(30_000, 1_000_000)),
    called("median_of_nine", lambda np, x: np.median(x, axis=0), 9),
    called("median_of_lines", lambda np, x: np.median(x, axis=0), 1000),
    called("bincount", lambda np, x: np.bincount((x * 50 + 500).astype("i8"))),
    called("unique", lambda np, x: np.unique((x * 50 + 500).astype("i8"))),
    called("argsort_stable", lambda np, x: np.argsort((x * 50).astype("i8"), kind="stable")),
    called("sort", lambda np, x: np.sort(x), sizes=(100_000, 1_000_000)),
    called("sort_lines", lambda np, x: np.sort(x, axis=0), 1000),
    called("argsort_lines", lambda np, x: np.argsort(x, axis=2), 1, 1000),
    called("sums_of_three", lambda np, x: x.sum(axis=2), 1, 3, 3),
    called("largest_of_two", lambda np, x: x.max(axis=2), 1, 2, 2),
    called("weighed_rows", lambda np, x: (x * x[:, :, :1]).sum(-1) * x[..., 0], 1, 6, 6),
    called("einsum_matrices", lambda np, x: np.einsum("ij,kj->ik", x, x), 100),
    called("einsum_rows", lambda np, x: np.einsum("ij,ij->i", x, x), 100),
    called("einsum_form", lambda np, x: np.einsum("i,ij,kj->k", x[:, 0], x, x), 100),
    called("products_3x3", lambda np, x: x @ x, 1, 3, 3),
    called("products_16x16", lambda np, x: x @ x, 1, 16, 16),
    called("points_turned", lambda np, x: x @ x[0, 0], 1, 3, 3),
    called("integer_matrices", lambda np, x: (x * 9).astype("i8") @ (x * 9).astype("i8").T, 100),
    called("add_at_rows", scattered, 1, 3),
    called("fft2", lambda np, x: np.abs(np.fft.fft2(x)), 1000),
]
RACE = Race(
    ways={"one thread": {"threads": 1}, "two threads": {"threads": 2}},
    base="numpy",
    counter="instructions",
    counted_in="two threads",
    tolerance=1e-9,
)

if __name__ == "__main__":
    sys.exit(main(__doc__, LOOPS, RACE))
