from __future__ import annotations

from numpy.typing import *
