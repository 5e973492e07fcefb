"""Types of ``hassium.polynomial.legendre`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.legendre import *
