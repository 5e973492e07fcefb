"""Types of ``hassium.lib.stride_tricks`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.stride_tricks import *
