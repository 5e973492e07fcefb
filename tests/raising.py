"""Warnings that raise where they are issued, without a filter that says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def raised_by_handler() -> Iterator[None]:
    """A handler raises every warning. The engine does not know of it, so flushes raise."""

    def handler(message: Warning, *_: Any) -> None:
        raise message

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = handler  # type: ignore[assignment]
        yield
