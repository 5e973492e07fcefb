"""NumPy's linear algebra: norms and products are recorded, all else is a counted fallback, which
runs stacks of matrices on all cores."""

from __future__ import annotations

from typing import Any

import numpy

from hassium import _fallback, _namespace
from hassium.functions import linear_algebra

_twin = _fallback.wrap_module("linalg", numpy.linalg)

for _name in linear_algebra.NATIVE:
    _native = getattr(linear_algebra, _name)
    globals()[_name] = _namespace.public(_name, _native, numpy.linalg)
del linear_algebra, _native, _name


def __getattr__(name: str) -> Any:
    from hassium.functions import linear_algebra

    if name in linear_algebra.OF_STACKS:
        from hassium.functions import stacks  # on demand: import stays cheap

        value = _namespace.public(name, stacks.native(name), numpy.linalg)
    else:
        value = getattr(_twin, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(numpy.linalg)


__all__ = list(numpy.linalg.__all__)
