from __future__ import annotations

from numpy.lib.scimath import *
