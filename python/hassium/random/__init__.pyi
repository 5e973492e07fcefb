from __future__ import annotations

from numpy.random import *
