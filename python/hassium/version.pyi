from __future__ import annotations

from numpy.version import *
