"""Types of ``hassium.polynomial.polynomial`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.polynomial import *
