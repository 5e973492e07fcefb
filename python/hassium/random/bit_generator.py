"""Types of ``hassium.random.bit_generator`` for type checkers; `_imports` makes the module."""

from __future__ import annotations

from numpy.random.bit_generator import *
from numpy.random.bit_generator import ISeedSequence as ISeedSequence
from numpy.random.bit_generator import ISpawnableSeedSequence as ISpawnableSeedSequence
from numpy.random.bit_generator import SeedlessSeedSequence as SeedlessSeedSequence
