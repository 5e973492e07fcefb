"""Types of ``hassium.polynomial.chebyshev`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.chebyshev import *
