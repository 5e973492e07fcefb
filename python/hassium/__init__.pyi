# Types for users: NumPy's, whose classes annotations may name too, and the names of our own.

from __future__ import annotations

import numpy as _numpy
from numpy import *
from numpy import __version__ as __version__

from hassium import debug as debug
from hassium._core import CopyWarning as CopyWarning
from hassium._core import flush as flush
from hassium._core import reset_stats as reset_stats
from hassium._core import scalar as scalar
from hassium._core import trim as trim
from hassium.tools.cache import cache_clear as cache_clear
from hassium.tools.cache import cache_info as cache_info
from hassium.tools.config import config as config
from hassium.tools.explaining import doctor as doctor
from hassium.tools.explaining import explain as explain
from hassium.tools.notebook import load_ipython_extension as load_ipython_extension
from hassium.tools.notebook import unload_ipython_extension as unload_ipython_extension
from hassium.tools.statistics import stats as stats

__all__ = _numpy.__all__
