"""Types of ``hassium.lib.npyio`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.npyio import *
