"""Types of ``hassium.strings`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.strings import *
