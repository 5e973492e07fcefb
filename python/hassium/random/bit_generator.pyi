from __future__ import annotations

from numpy.random.bit_generator import *
