from __future__ import annotations

from numpy.polynomial.hermite import *
