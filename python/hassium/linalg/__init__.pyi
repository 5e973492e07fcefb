from __future__ import annotations

from numpy.linalg import *
