"""Types of ``hassium.ma.extras`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ma.extras import *
from numpy.ma.extras import MAxisConcatenator as MAxisConcatenator
from numpy.ma.extras import mr_class as mr_class
