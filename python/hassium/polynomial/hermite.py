"""Types of ``hassium.polynomial.hermite`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.hermite import *
