"""Types of ``hassium.testing.overrides`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.testing.overrides import *
