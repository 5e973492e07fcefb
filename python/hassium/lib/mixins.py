"""Types of ``hassium.lib.mixins`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.mixins import *
