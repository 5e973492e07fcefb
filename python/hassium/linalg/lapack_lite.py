"""Types of ``hassium.linalg.lapack_lite`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.linalg.lapack_lite import *
