"""The instruction sets that this build has kernels for and this processor runs."""

from __future__ import annotations

import numpy

import hassium


def runs(level: str) -> bool:
    try:
        with hassium.config(simd=level):
            numpy.asarray(hassium.ones(3) + 1.0)
    except ValueError:
        return False
    return True


LEVELS = [level for level in ("v2", "v3", "v4", "baseline") if runs(level)]
