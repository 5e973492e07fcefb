"""Types of ``hassium.polynomial.polyutils`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.polyutils import *
