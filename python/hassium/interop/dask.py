"""dask's array backend ``hassium``: collections whose chunks are hassium's arrays.

dask finds the backend by its entry point, and by `apply` where a program imports hassium itself.
Chunk functions need no registration: dask's tables list them for NumPy's array, which NumPy's
functions and hassium's class tests extend to ours.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy

from hassium import _core, random

_array: Any = importlib.import_module("dask.array")
_backends: Any = importlib.import_module("dask.array.backends")
_config: Any = importlib.import_module("dask.config")


def _is_ours(collection: Any) -> bool:
    return type(collection._meta) is _core.ndarray


def _creation(name: str, like: str = "meta") -> staticmethod[..., Any]:
    """dask's creation function of that name, whose chunks are made like an array of ours."""

    def create(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get(like) is None:
            kwargs[like] = _core.empty(0)
        with _config.set({"array.backend": "numpy"}):
            return getattr(_array, name)(*args, **kwargs)

    return staticmethod(create)


class Backend(_backends.ArrayBackendEntrypoint):  # type: ignore[misc]
    """What dask asks a backend for."""

    RandomState = random.RandomState
    default_bit_generator = random.PCG64
    ones, zeros, empty, full = map(_creation, ("ones", "zeros", "empty", "full"))
    arange = _creation("arange", "like")

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return _core.asarray

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        return data if _is_ours(data) else data.map_blocks(_core.asarray, **kwargs)


def apply() -> None:
    """Registers the backend, and the way back to NumPy's chunks."""
    _backends.array_creation_dispatch.register_backend("hassium", Backend())
    _backends.to_numpy_dispatch.register(_core.ndarray)(numpy.asarray)
