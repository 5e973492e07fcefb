"""Types of ``hassium.matlib`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.matlib import *
from numpy.matlib import empty as empty
from numpy.matlib import eye as eye
from numpy.matlib import identity as identity
from numpy.matlib import ones as ones
from numpy.matlib import zeros as zeros
