"""JAX takes hassium's arrays for NumPy's.

It goes by the type of what it is given: in tables, by isinstance, or by a method for those that
are no array of its own.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy

from hassium import _core


def _as_jax(self: Any) -> Any:
    """What JAX asks for in its functions and operators."""
    return sys.modules["jax.numpy"].asarray(numpy.asarray(self))


def apply() -> None:
    """For arguments of compiled and differentiated functions, and for constants in them."""
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
