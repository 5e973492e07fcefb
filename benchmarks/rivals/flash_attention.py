"""Attention in tiles for JAX: one tile of queries and one of keys are a compiled function."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("flash_attention")


@cache
def jax_tile() -> Any:
    import jax

    def tile(query: Any, key: Any, value: Any, total: Any, most: Any, weight: Any) -> Any:
        np = jax.numpy
        scores = query @ key.T
        larger = np.maximum(most, scores.max(axis=1, keepdims=True))
        share, keep = np.exp(scores - larger), np.exp(most - larger)
        weight = weight * keep + share.sum(axis=1, keepdims=True)
        return total * keep + share @ value, larger, weight

    return jax.jit(tile)


def attend(np: Any, queries: Any, keys: Any, values: Any) -> Any:
    """One step; tiles of keys and values are made outside."""
    width, outputs, tile = queries.shape[1], [], jax_tile()
    for begin in range(0, queries.shape[0], PROGRAM.TILE):
        query = queries[begin : begin + PROGRAM.TILE] / math.sqrt(width)
        column = query[:, :1]
        state = (np.zeros_like(query), np.full_like(column, -np.inf), np.zeros_like(column))
        for key, value in zip(keys, values, strict=True):
            state = tile(query, key, value, *state)
        outputs.append(state[0] / state[2])
    return np.concatenate(outputs)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    length, width, steps = size
    arrays = [PROGRAM.waves(np, length, width, shift, dtype) for shift in (0.3, 0.7, 0.0)]
    keys, values, output = (library.numpy.asarray(one) for one in arrays)
    tiles = range(0, length, PROGRAM.TILE)
    keys, values = ([one[b : b + PROGRAM.TILE] for b in tiles] for one in (keys, values))
    for _ in range(steps):
        output = attend(library.numpy, output, keys, values)
    return output
