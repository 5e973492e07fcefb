"""dask's distributed scheduler sends hassium's arrays between processes as such.

An array is sent as NumPy's are, in a frame that is its own memory. Frames arrive unaligned and
belong to other code, so that memory is copied once: work on it can be fused.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy

from hassium import _core


def owned(numpys: Any) -> Any:
    """Returns a copy of NumPy's array. Elements repeated along an axis are stored once."""
    stored = (..., *(slice(None if stride else 1) for stride in numpys.strides))
    array = _core.from_numpy(numpys[stored])
    return _core.broadcast_to(array, numpys.shape) if 0 in numpys.strides else array


def apply() -> None:
    """Registers the serialization of arrays."""
    protocol: Any = importlib.import_module("distributed.protocol.serialize")
    serialize, deserialize = protocol.dask_serialize, protocol.dask_deserialize

    def to_frames(array: Any, context: Any = None) -> Any:
        return serialize.dispatch(numpy.ndarray)(numpy.asarray(array), context)

    def from_frames(header: Any, frames: Any) -> Any:
        received = deserialize.dispatch(numpy.ndarray)(header, frames)
        array = owned(received)
        array.flags.writeable = received.flags.writeable
        return array

    serialize.register(_core.ndarray)(to_frames)
    deserialize.register(_core.ndarray)(from_frames)
