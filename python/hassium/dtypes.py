"""Types of ``hassium.dtypes`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.dtypes import *
