from __future__ import annotations

from numpy.dtypes import *
