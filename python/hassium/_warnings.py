"""What the program says of warnings holds for what it recorded while it said so.

Recorded work warns when it runs. Under ``with warnings.catch_warnings()`` that would be after
the block: what the program wants ignored there would be shown, what it wants recorded missed. So
pending work runs where such a block begins and where it ends.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from hassium import _core


def _after_flush(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def method(self: warnings.catch_warnings[Any], *args: Any) -> Any:
        try:
            _core.run_pending()
        except BaseException:  # a warning may be an error here; the block ends all the same
            if args:
                plain(self, *args)
            raise
        return plain(self, *args)

    return method


def prepare() -> None:
    """To be called once, when hassium is imported."""
    block: Any = warnings.catch_warnings
    for name in ("__enter__", "__exit__"):
        setattr(block, name, _after_flush(getattr(block, name)))
