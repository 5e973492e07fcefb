"""Types of ``hassium.lib.user_array`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.user_array import *
