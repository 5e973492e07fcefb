"""pandas takes hassium's arrays for NumPy's.

It asks of each operand, index and mask whether it is NumPy's. Anything else is a list or a label to
it, and a new series shares its memory, where it copies NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hassium.interop.exports import teach_function, teach_methods, with_exported_keys

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

LESSONS: dict[str, Callable[[], None]] = {
    **{
        module: functools.partial(teach_methods, module, kind, *names)
        for module, (kind, names) in METHODS.items()
    },
    **{
        module: functools.partial(teach_function, module, *names, made=with_exported_keys)
        for module, names in FUNCTIONS.items()
    },
}
