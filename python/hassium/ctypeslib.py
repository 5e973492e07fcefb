"""Types of ``hassium.ctypeslib`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ctypeslib import *
