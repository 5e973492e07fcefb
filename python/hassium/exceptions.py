"""Types of ``hassium.exceptions`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.exceptions import *
from numpy.exceptions import RankWarning as RankWarning
