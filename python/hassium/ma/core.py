"""Types of ``hassium.ma.core`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.ma.core import *
from numpy.ma.core import MaskedArrayFutureWarning as MaskedArrayFutureWarning
from numpy.ma.core import MaskedConstant as MaskedConstant
from numpy.ma.core import MaskedIterator as MaskedIterator
from numpy.ma.core import dot as dot
from numpy.ma.core import get_data as get_data
from numpy.ma.core import get_fill_value as get_fill_value
from numpy.ma.core import get_mask as get_mask
from numpy.ma.core import get_masked_subclass as get_masked_subclass
from numpy.ma.core import shrink_mask as shrink_mask
