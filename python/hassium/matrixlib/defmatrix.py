"""Types of ``hassium.matrixlib.defmatrix`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.matrixlib.defmatrix import *
