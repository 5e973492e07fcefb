from __future__ import annotations

from numpy.lib.stride_tricks import *
