from __future__ import annotations

from numpy.ma.core import *
