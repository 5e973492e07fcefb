"""What tests of sweeps start from, and how they look for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy

from hassium import debug


def grid(*shape: int) -> Any:
    return numpy.random.default_rng(sum(shape)).random(shape)


def lengths(program: Callable[[], Any]) -> list[int]:
    """How many nests each sweep of the flush has."""
    with debug.capture() as flushes:
        program()
    return [int(n) for f in flushes for n in re.findall(r"sweeps (\d+) nests", f.plan)]
