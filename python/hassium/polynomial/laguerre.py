"""Types of ``hassium.polynomial.laguerre`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.laguerre import *
