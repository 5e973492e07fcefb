"""Attention in tiles: softmax of the scores without ever holding all of them.

Tiles of keys are visited one after the other for each tile of queries; a running maximum and a
running sum rescale what was accumulated before (Dao, Fu, Ermon, Rudra and Ré, FlashAttention, 2022,
algorithm 1). Each step's output is the next step's queries. The size is length * width * steps; the
result is the last output, length * width.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (64, 8, 10), "medium": (4096, 32, 10), "large": (16384, 64, 4)}
EXACT = False  # exp, and products of matrices

TILE = 256


def waves(np: Any, length: int, width: int, shift: float, dtype: str) -> Any:
    """Returns columns of cosines of different frequencies."""
    row = np.arange(length)[:, None] + shift
    return np.cos(row * (1.0 + np.arange(width)) / (width + 1.0)).astype(dtype)


def attend(np: Any, queries: Any, keys: Any, values: Any) -> Any:
    """Returns the softmax of queries times keys, times values, tile by tile."""
    length, width = queries.shape
    output = np.empty_like(queries)
    for begin in range(0, length, TILE):
        query = queries[begin : begin + TILE] / math.sqrt(width)
        total = np.zeros_like(query)
        most = np.full((query.shape[0], 1), -np.inf, dtype=query.dtype)
        weight = np.zeros((query.shape[0], 1), dtype=query.dtype)
        for first in range(0, length, TILE):
            scores = query @ keys[first : first + TILE].T
            larger = np.maximum(most, scores.max(axis=1, keepdims=True))
            share = np.exp(scores - larger)
            keep = np.exp(most - larger)
            weight = weight * keep + share.sum(axis=1, keepdims=True)
            total = total * keep + share @ values[first : first + TILE]
            most = larger
        output[begin : begin + TILE] = total / weight
    return output


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The output of the last step."""
    length, width, steps = size
    keys, values = (waves(np, length, width, shift, dtype) for shift in (0.3, 0.7))
    output = waves(np, length, width, 0.0, dtype)
    for _ in range(steps):
        output = attend(np, output, keys, values)
    return output


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the output against all scores at once, in rows that fit into memory."""
    length, width, steps = size
    keys, values = (waves(np, length, width, shift, "float64") for shift in (0.3, 0.7))
    known = waves(np, length, width, 0.0, "float64")
    for _ in range(steps):
        for begin in range(0, length, 1024):
            scores = known[begin : begin + 1024] @ keys.T / math.sqrt(width)
            share = np.exp(scores - scores.max(axis=1, keepdims=True))
            known[begin : begin + 1024] = share @ values / share.sum(axis=1, keepdims=True)
    slack = 64 * length**0.5 * float(np.finfo(result.dtype).eps)
    assert np.abs(result - known).max() <= slack, "this is not attention"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
