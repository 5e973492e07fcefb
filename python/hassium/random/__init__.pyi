from __future__ import annotations

from numpy.random import *
from numpy.random import bit_generator as bit_generator
from numpy.random import mtrand as mtrand
