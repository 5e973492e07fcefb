from __future__ import annotations

from numpy.ma.extras import *
