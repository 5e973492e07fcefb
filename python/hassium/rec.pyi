from __future__ import annotations

from numpy.rec import *
