"""Types of ``hassium.fft`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.fft import *
