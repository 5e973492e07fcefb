"""Types of ``hassium.lib.array_utils`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.array_utils import *
