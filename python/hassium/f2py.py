"""Types of ``hassium.f2py`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.f2py import *
from numpy.f2py import f2py2e as f2py2e
from numpy.f2py import main as main
