"""Types of ``hassium.random.mtrand`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.random.mtrand import *
