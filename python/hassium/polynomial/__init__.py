"""Types of ``hassium.polynomial`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.polynomial import *
from numpy.polynomial import test as test
