"""Histogram equalization: grey levels spread so that every share of an image is as bright.

A pixel's new value is the share of pixels that are no brighter, by the cumulated histogram of the
image (Gonzalez and Woods, Digital Image Processing, 3.3). The image is a landscape of hyperbolic
hills, each step lights it another way. The size is rows * columns * steps; the result is the
equalized image of the last step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (32, 32, 10), "medium": (1500, 1500, 30), "large": (6000, 6000, 10)}
EXACT = True  # only + * / and moves; pixels are counted

LEVELS = 256


def landscape(np: Any, rows: int, columns: int, dtype: str) -> Any:
    """Heights in (0, 1)."""
    y = np.arange(rows, dtype=dtype)[:, None] / rows
    x = np.arange(columns, dtype=dtype) / columns
    height = np.zeros((rows, columns), dtype=dtype)
    for k in range(1, 5):
        height += 0.2 / (1 + 9 * k * ((x - 0.2 * k) ** 2 + (y - 0.7 / k) ** 2))
    return height


def equalize(np: Any, image: Any) -> Any:
    """Replaces every pixel by the share of pixels up to its level."""
    counts, _ = np.histogram(image, bins=LEVELS, range=(0.0, 1.0))
    shares = np.cumsum(counts) / image.size
    levels = (image * LEVELS).astype(np.intp)
    return shares[levels]


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The image of the last step, equalized."""
    rows, columns, steps = size
    height = landscape(np, rows, columns, dtype)
    for step in range(steps):
        light = (step + 1) / steps
        image = height * (light + (1 - light) * height)
        equalized = equalize(np, image)
    return equalized.astype(dtype)


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks that each value is the share of pixels up to it, and that the order is kept."""
    rows, columns, _ = size
    values, counts = np.unique(result, return_counts=True)
    slack = 2 * float(np.finfo(result.dtype).eps)
    shares = np.cumsum(counts) / result.size
    assert np.abs(values - shares).max() <= slack, "the levels are not equalized"
    height = landscape(np, rows, columns, result.dtype)
    ordered = result.reshape(-1)[np.argsort(height.reshape(-1), kind="stable")]
    assert (np.diff(ordered) >= 0).all(), "a brighter pixel became darker"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
