"""Types of ``hassium.lib.introspect`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.lib.introspect import *
