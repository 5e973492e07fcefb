"""Types of ``hassium.ma.testutils`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ma.testutils import *
from numpy.ma.testutils import fail_if_equal as fail_if_equal
