"""dask's array backend ``hassium``: collections whose chunks are hassium's arrays.

dask finds the backend by its entry point, or by `apply` if a program imports hassium itself. Of
dask's tables of chunk functions only those need a row that would convert hassium's arrays to
NumPy's: the others list NumPy's array, for which hassium's passes, and NumPy's functions, which
return hassium's.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy

from hassium import _core, random
from hassium.interop.distributed import owned

_array: Any = importlib.import_module("dask.array")
_backends: Any = importlib.import_module("dask.array.backends")
_config: Any = importlib.import_module("dask.config")


def _is_ours(collection: Any) -> bool:
    return type(collection._meta) is _core.ndarray


def _creation(name: str, like: str = "meta") -> staticmethod[..., Any]:
    """Returns dask's creation function of that name, with chunks created like a hassium array."""

    def create(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get(like) is None:
            kwargs[like] = _core.empty(0)
        with _config.set({"array.backend": "numpy"}):
            return getattr(_array, name)(*args, **kwargs)

    return staticmethod(create)


class Backend(_backends.ArrayBackendEntrypoint):  # type: ignore[misc]
    """The functions that dask requires of a backend."""

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
    """Registers the backend and its chunk functions."""
    dispatch: Any = importlib.import_module("dask.array.dispatch")
    count = dispatch.numel_lookup.dispatch(numpy.ndarray)

    def numel(chunk: Any, **kwargs: Any) -> Any:
        """Returns the element counts of means, as our arrays: quotients by NumPy's run eagerly."""
        counted = count(chunk, **kwargs)
        return owned(counted) if isinstance(counted, numpy.ndarray) else counted

    dispatch.numel_lookup.register(_core.ndarray)(numel)
    dispatch.to_numpy_dispatch.register(_core.ndarray)(numpy.asarray)
    _backends.array_creation_dispatch.register_backend("hassium", Backend())
