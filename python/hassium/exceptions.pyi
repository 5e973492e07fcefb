from __future__ import annotations

from numpy.exceptions import *
