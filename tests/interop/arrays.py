"""Arrays and helpers of the calls in this folder."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Any]


def load(name: str) -> Any:
    """The module of that name."""
    return importlib.import_module(name)


def vector(np: Any) -> Any:
    """Three numbers."""
    return np.arange(3.0) + 1


def matrix(np: Any) -> Any:
    """A matrix of two rows and three columns."""
    return np.arange(6.0).reshape(2, 3) + 1


def square(np: Any) -> Any:
    """A symmetric matrix with a zero diagonal: the weights of a graph."""
    return np.array([[0.0, 2.0], [2.0, 0.0]])


def image(np: Any) -> Any:
    """An image of 8-bit grey values."""
    return (np.arange(64) % 7 * 30).astype("u1").reshape(8, 8)


def signal(np: Any) -> Any:
    """Sixty samples that look random."""
    return np.sin(np.arange(60.0) ** 2)


def features(np: Any) -> Any:
    """Forty rows of three features."""
    return np.sin(np.arange(120.0) ** 2).reshape(40, 3)


def target(np: Any) -> Any:
    """A linear function of the features."""
    return features(np) @ np.array([1.0, -2.0, 0.5])


def coordinates(np: Any) -> Any:
    """The corners of a triangle."""
    return np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]])
