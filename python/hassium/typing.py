"""Types of ``hassium.typing`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.typing import *
