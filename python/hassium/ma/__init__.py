"""Types of ``hassium.ma`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ma import *
