"""Types of ``hassium.char`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.char import *
