from __future__ import annotations

from numpy.random.mtrand import *
