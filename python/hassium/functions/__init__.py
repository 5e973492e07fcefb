"""NumPy's functions by topic: the native forms behind ``hassium.NAME``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hassium.functions import (
    calculus,
    comparisons,
    copying,
    creation,
    editing,
    elementwise,
    histograms,
    indexing,
    joining,
    manipulation,
    moments,
    nans,
    padding,
    predicates,
    products,
    reductions,
    searching,
    statistics,
    windows,
)

_TOPICS = (
    calculus, comparisons, copying, creation, predicates, editing, elementwise, histograms,
    indexing, joining, manipulation, moments, nans, padding, products, reductions, searching,
    statistics, windows,
)  # fmt: skip

NATIVE: dict[str, Callable[..., Any]] = {
    name: getattr(topic, name) for topic in _TOPICS for name in topic.__all__
}
