"""Types of ``hassium.rec`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.rec import *
