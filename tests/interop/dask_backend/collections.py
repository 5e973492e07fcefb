"""Programs on dask's collections, each a function of `dask.array`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import hassium


def _matrix(da: Any) -> Any:
    return da.random.default_rng(1).normal(size=(10, 8), chunks=4)


def _numbers(da: Any) -> Any:
    return da.arange(10.0, chunks=4)


def _assigned(da: Any) -> Any:
    x = _numbers(da)
    x[2] = 9.0
    x[x > 5] = 0.0
    return x


# What they compute has chunks of the backend's arrays, and says so before it is computed.
OF_THE_BACKEND: dict[str, Callable[[Any], Any]] = {
    "ones": lambda da: da.ones((10, 8), chunks=4),
    "zeros": lambda da: da.zeros((10, 8), chunks=4, dtype="i4"),
    "full": lambda da: da.full((10, 8), 7.5, chunks=4),
    "arange": _numbers,
    "arange of integers": lambda da: da.arange(1, 20, 3, chunks=4, dtype="i2"),
    "ones_like": lambda da: da.ones_like(_numbers(da)),
    "normal": _matrix,
    "integers": lambda da: da.random.default_rng(1).integers(10, size=(10, 8), chunks=4),
    "poisson": lambda da: da.random.default_rng(1).poisson(3.0, size=9, chunks=4),
    "permutation": lambda da: da.random.default_rng(1).permutation(_numbers(da)),
    "RandomState": lambda da: da.random.RandomState(1).normal(size=(10, 8), chunks=4),
    "from_array": lambda da: da.from_array(hassium.arange(6.0), chunks=4),
    "to_backend": lambda da: da.from_array(numpy.arange(6.0), chunks=4).to_backend(),
    "ufunc": lambda da: da.sqrt(_numbers(da)) + 1,
    "with NumPy's array": lambda da: _numbers(da) * numpy.arange(10),
    "sum": lambda da: _matrix(da).sum(axis=0),
    "sum of all, kept": lambda da: _matrix(da).sum(keepdims=True),
    "mean": lambda da: _matrix(da).mean(axis=1),
    "std": lambda da: _matrix(da).std(axis=0),
    "max": lambda da: _matrix(da).max(axis=0),
    "nanmean": lambda da: da.nanmean(_matrix(da), axis=0),
    "median": lambda da: da.median(_matrix(da), axis=0),
    "percentile": lambda da: da.percentile(_numbers(da), [20, 50]),
    "topk": lambda da: da.topk(_numbers(da), 3),
    "cumsum": lambda da: _matrix(da).cumsum(axis=0),
    "concatenate": lambda da: da.concatenate([_numbers(da), _numbers(da)]),
    "stack": lambda da: da.stack([_numbers(da), _numbers(da)]),
    "rechunk": lambda da: _matrix(da).rechunk(3),
    "reshape": lambda da: da.arange(12, chunks=4).reshape(3, 4),
    "take": lambda da: _numbers(da)[[1, 5, 2]],
    "slice": lambda da: _matrix(da)[::2, 1:],
    "assignment": _assigned,
    "where": lambda da: da.where(_numbers(da) > 3, _numbers(da), 0.0),
    "pad": lambda da: da.pad(_numbers(da), 2, mode="edge"),
    "tensordot": lambda da: da.tensordot(_matrix(da), _matrix(da).T, 1),
    "matmul": lambda da: _matrix(da) @ _matrix(da).T,
    "einsum": lambda da: da.einsum("ij,kj->ik", _matrix(da), _matrix(da)),
    "outer": lambda da: da.outer(_numbers(da), _numbers(da)),
    "map_blocks": lambda da: _matrix(da).map_blocks(lambda block: block * 2),
    "map_overlap": lambda da: _matrix(da).map_overlap(
        lambda block: block * 2, depth=1, boundary="reflect"
    ),
    "qr": lambda da: da.linalg.qr(_matrix(da).rechunk((5, 8)))[1],
}

# dask says that these have NumPy's chunks, or makes them NumPy's.
OF_NUMPY: dict[str, Callable[[Any], Any]] = {
    "linspace": lambda da: da.linspace(0.0, 1.0, 10, chunks=4),
    "choice": lambda da: da.random.default_rng(1).choice(10, size=8, chunks=4),
    "argmax": lambda da: _matrix(da).argmax(axis=0),
    "argmin along the last axis": lambda da: _matrix(da).argmin(axis=1),
    "mask": lambda da: _numbers(da)[_numbers(da) > 4],
    "histogram": lambda da: da.histogram(_numbers(da), bins=5, range=(0, 10))[0],
    "unique": lambda da: da.unique(_numbers(da)),
    "solve": lambda da: da.linalg.solve(da.eye(4, chunks=2) * 2, da.ones(4, chunks=2)),
    "fft": lambda da: da.fft.fft(da.ones(8)),
    "sum of all": lambda da: _matrix(da).sum(),
    "variance of all": lambda da: _matrix(da).var(),
    "to_backend": lambda da: _numbers(da).to_backend("numpy"),
    "from_array": lambda da: da.from_array(numpy.arange(6.0), chunks=4),
}
