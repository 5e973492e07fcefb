from __future__ import annotations

from numpy.strings import *
