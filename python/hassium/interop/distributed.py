"""dask's distributed scheduler sends arrays from process to process as arrays of hassium.

An array leaves as NumPy's does, in a frame that is its own memory. Frames arrive at any byte of a
message and belong to other code, so that memory is copied once: work on it can be fused.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy

from hassium import _core


def apply() -> None:
    """Registers how arrays are serialized."""
    protocol: Any = importlib.import_module("distributed.protocol.serialize")
    serialize, deserialize = protocol.dask_serialize, protocol.dask_deserialize

    @serialize.register(_core.ndarray)  # type: ignore[untyped-decorator]
    def to_frames(array: Any, context: Any = None) -> Any:
        return serialize.dispatch(numpy.ndarray)(numpy.asarray(array), context)

    @deserialize.register(_core.ndarray)  # type: ignore[untyped-decorator]
    def from_frames(header: Any, frames: Any) -> Any:
        received = deserialize.dispatch(numpy.ndarray)(header, frames)
        # An array that repeats an element along an axis is sent, and kept, without repetitions.
        stored = (..., *(slice(None if stride else 1) for stride in received.strides))
        array = _core.from_numpy(received[stored])
        if 0 in received.strides:
            array = _core.broadcast_to(array, received.shape)
        array.flags.writeable = received.flags.writeable
        return array
