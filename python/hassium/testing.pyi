from __future__ import annotations

from numpy.testing import *
