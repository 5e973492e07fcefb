"""pandas takes hassium's arrays for NumPy's.

It asks of each operand, index and mask whether it is NumPy's. Anything else is a list or a label to
it, and a new series shares its memory, where it copies NumPy's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from hassium._exports import exported, replace, with_exports

METHODS = {
    "pandas.core.frame": (
        "DataFrame",
        ("__init__", "__getitem__", "__setitem__", "_align_for_op", "set_index"),
    ),
    "pandas.core.generic": ("NDFrame", ("_where",)),
    "pandas.core.indexes.base": ("Index", ("__new__", "__getitem__")),
    "pandas.core.indexing": ("_LocationIndexer", ("__getitem__", "__setitem__")),
    "pandas.core.series": ("Series", ("__init__", "__getitem__", "__setitem__")),
}
FUNCTIONS = {
    "pandas.core.algorithms": ("factorize", "unique"),
    "pandas.core.groupby.grouper": ("get_grouper",),
}
FEW = 32  # keys: more in one list are data


def _with_keys(value: Any) -> Any:
    """An array, or the arrays among a few keys, for pandas."""
    if type(value) in (list, tuple) and len(value) <= FEW:
        return type(value)(map(exported, value))
    return exported(value)


def _exporting(function: Any) -> Any:
    return with_exports(function, _with_keys)


def _teach_methods(module: str) -> None:
    kind, names = METHODS[module]
    taught = getattr(sys.modules[module], kind)
    for name in names:
        method = _exporting(getattr(taught, name))
        setattr(taught, name, staticmethod(method) if name == "__new__" else method)


def _teach_functions(module: str) -> None:
    for name in FUNCTIONS[module]:
        replace(module, name, _exporting)


LESSONS: dict[str, Callable[[], None]] = {
    **{module: functools.partial(_teach_methods, module) for module in METHODS},
    **{module: functools.partial(_teach_functions, module) for module in FUNCTIONS},
}
