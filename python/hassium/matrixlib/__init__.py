"""Types of ``hassium.matrixlib`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.matrixlib import *
from numpy.matrixlib import defmatrix as defmatrix
