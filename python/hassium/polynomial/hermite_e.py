"""Types of ``hassium.polynomial.hermite_e`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial.hermite_e import *
