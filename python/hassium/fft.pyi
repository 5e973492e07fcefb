from __future__ import annotations

from numpy.fft import *
