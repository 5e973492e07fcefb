from __future__ import annotations

from numpy.lib import *
