"""NumPy's own generators shuffle hassium's arrays as NumPy's.

They shuffle other objects element by element, where the rows of an array would alias. A list is
shuffled itself, whatever it contains.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy

from hassium import _core


def _exported(value: Any) -> Any:
    return numpy.asarray(value) if type(value) is _core.ndarray else value


def _exporting(shuffle: Any) -> Any:
    @functools.wraps(shuffle)
    def exporting(*args: Any, **kwargs: Any) -> None:
        named = {name: _exported(value) for name, value in kwargs.items()}
        shuffle(*map(_exported, args), **named)

    return exporting


def apply() -> None:
    """Wraps `shuffle`; called once numpy.random has been imported."""
    module: Any = sys.modules["numpy.random"]  # not yet an attribute of its package
    for kind in (module.RandomState, module.Generator):
        _core.put_in_class(kind, "shuffle", _exporting(kind.shuffle))
    module.shuffle = module.mtrand.shuffle = module.shuffle.__self__.shuffle
