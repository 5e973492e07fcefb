from __future__ import annotations

from numpy.lib.array_utils import *
