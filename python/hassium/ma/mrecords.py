"""Types of ``hassium.ma.mrecords`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ma.mrecords import *
