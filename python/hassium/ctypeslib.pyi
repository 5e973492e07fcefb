from __future__ import annotations

from numpy.ctypeslib import *
