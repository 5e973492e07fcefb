"""JAX accepts hassium's arrays as NumPy's.

It dispatches on the type of an argument: by tables, by isinstance, or by a method of other types
than its own arrays.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy

from hassium import _core


def _as_jax(self: Any) -> Any:
    """Implements the method that JAX calls in its functions and operators."""
    return sys.modules["jax.numpy"].asarray(numpy.asarray(self))


def apply() -> None:
    """Registers arrays as arguments of compiled and differentiated functions, and as constants."""
    dtypes, core, mlir, pxla = (
        sys.modules[f"jax._src.{name}"]
        for name in ("dtypes", "core", "interpreters.mlir", "interpreters.pxla")
    )
    shaped = core.pytype_aval_mappings[numpy.ndarray]
    constant = mlir.get_constant_handler(numpy.ndarray)
    sharded = pxla.shard_arg_handlers[numpy.ndarray]
    for kind in (_core.ndarray, _core.scalar):
        core.pytype_aval_mappings[kind] = lambda x: shaped(numpy.asarray(x))
        dtypes.canonicalize_value_handlers[kind] = lambda x: dtypes.canonicalize_value(
            numpy.asarray(x)
        )
        mlir.register_constant_handler(kind, lambda x, aval: constant(numpy.asarray(x), aval))
        pxla.shard_arg_handlers[kind] = lambda xs, *rest: sharded(
            list(map(numpy.asarray, xs)), *rest
        )
    answers = {"__jax_array__": _as_jax}
    _core.register_methods(answers, answers)
