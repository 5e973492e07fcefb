"""NumPy's own random streams: the same generators and bits, drawn by NumPy into adopted memory.

Drawing is neither lazy nor a fallback: the streams are NumPy's by definition. hassium arrays among
the arguments are exported; results are hassium arrays on the memory that NumPy filled.
"""

from __future__ import annotations

from typing import Any

import numpy


def __getattr__(name: str) -> Any:
    from hassium.random._generators import public  # together with NumPy's own: import stays cheap

    value = public(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(numpy.random)
