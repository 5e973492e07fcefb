"""Types of ``hassium.testing`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.testing import *
from numpy.testing import extbuild as extbuild
