"""Types of ``hassium.version`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.version import *
