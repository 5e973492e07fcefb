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


(ROW,) = (row for row in hassium.config.table() if row["name"] == "simd")
LEVELS = [level for level in ROW["allowed"].split() if level != "auto" and runs(level)]
