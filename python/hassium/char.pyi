from __future__ import annotations

from numpy.char import *
