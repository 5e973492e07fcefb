"""Random expressions of functions, arithmetic and choices over arrays that lie in any way.

An expression is a tree; leaves are numbers of the list of arrays. What a library makes of a tree is
compared bit for bit between engines, so the functions need not be NumPy's to the last bit.
"""

from __future__ import annotations

import random
from typing import Any

import numpy

FUNCTIONS = "exp exp2 expm1 log log2 log10 log1p sin cos arcsin arccos arctan tan tanh sqrt".split()
FUNCTIONS += ["absolute", "negative", "square"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum"]
SCALAR = ["multiply", "divide", "power"]
LENGTHS = [1, 2, 3, 5, 7, 8, 16, 17, 33, 64, 65, 100, 130, 500]
DTYPES = [
    ["f8"],
    ["f4"],
    ["f8", "f4"],
    ["f8", "f4", "i4"],
    ["f8", "f2"],
    ["f2"],
    ["f4", "f2", "i2"],
]
SPECIALS = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 800.0, -800.0, 1e-320]

Tree = tuple[Any, ...]


def shape_of(draw: random.Random) -> tuple[int, ...]:
    shape = tuple(draw.choice(LENGTHS) for _ in range(draw.choice([1, 1, 2, 2, 3])))
    while numpy.prod(shape) > 30_000:
        shape = shape[1:]
    return shape


def leaf(draw: random.Random, shape: tuple[int, ...], dtype: str) -> tuple[Any, Any]:
    """An array, and the index that gives it the shape: None for all, "T" for transposed."""
    generator = numpy.random.default_rng(draw.randrange(1 << 30))

    def values(of: tuple[int, ...]) -> Any:
        x = generator.uniform(-1.2, 1.2, of)
        if draw.random() < 0.3:
            x.ravel()[:: draw.randrange(3, 40)] = draw.choice(SPECIALS)
        with numpy.errstate(all="ignore"):
            return x.astype(dtype)

    kind = draw.randrange(6)
    if kind == 0:
        return values(tuple(2 * n for n in shape)), tuple(slice(None, None, 2) for _ in shape)
    if kind == 1:
        return values(shape), tuple(slice(None, None, -1) for _ in shape)
    if kind == 2:
        return values(shape[::-1]), "T"
    if kind == 3:
        return values(tuple(1 if draw.random() < 0.5 else n for n in shape)), None
    if kind == 4:
        return values(tuple(n + 3 for n in shape)), tuple(slice(1, n + 1) for n in shape)
    return values(shape), None


def seen(x: Any, index: Any) -> Any:
    return x if index is None else x.T if index == "T" else x[index]


def tree(draw: random.Random, depth: int, leaves: int) -> Tree:
    if depth == 0 or draw.random() < 0.15:
        return ("leaf", draw.randrange(leaves))

    def below() -> Tree:
        return tree(draw, depth - 1, leaves)

    kind = draw.random()
    if kind < 0.5:
        return ("call", draw.choice(FUNCTIONS), below())
    if kind < 0.8:
        return ("call", draw.choice(BINARY), below(), below())
    if kind < 0.9:
        return ("scalar", draw.choice(SCALAR), draw.choice([0.5, 2.0, 3.0, -4.0, 0.1]), below())
    return ("choice", below(), below())


def value(np: Any, node: Tree, arrays: list[Any]) -> Any:
    if node[0] == "leaf":
        return arrays[node[1]]
    if node[0] == "call":
        return getattr(np, node[1])(*(value(np, x, arrays) for x in node[2:]))
    if node[0] == "scalar":
        return getattr(np, node[1])(value(np, node[3], arrays), node[2])
    a, b = value(np, node[1], arrays), value(np, node[2], arrays)
    return np.where(a > b, a, b * 0.5)


class Program:
    """Some trees over some arrays, all in one flush."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        shape, dtypes = shape_of(draw), draw.choice(DTYPES)
        self.leaves = [leaf(draw, shape, draw.choice(dtypes)) for _ in range(draw.randrange(1, 4))]
        self.trees = [
            tree(draw, draw.randrange(1, 5), len(self.leaves)) for _ in range(draw.randrange(1, 4))
        ]
        self.reduce = draw.choice([None, None, "max", "sum"])

    def run(self, np: Any) -> list[Any]:
        arrays = [seen(np.array(x), index) for x, index in self.leaves]
        results = [value(np, node, arrays) for node in self.trees]
        if self.reduce is not None and results[0].ndim > 0 and results[0].dtype.kind == "f":
            more = {"dtype": "f8"} if self.reduce == "sum" else {}
            rows = getattr(results[0], self.reduce)(axis=-1, keepdims=True, **more)
            results.append(np.exp(results[0] - rows) * 0.5)
        return [numpy.asarray(r) for r in results]


def same_bits(a: Any, b: Any) -> bool:
    """Nans are all the same."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool((a == b).all())
    nans = numpy.isnan(a) & numpy.isnan(b)
    return bool((nans | ((a == b) & (numpy.signbit(a) == numpy.signbit(b)))).all())
