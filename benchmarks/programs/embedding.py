"""Training a table of embeddings: rows are looked up, averaged, and corrected by their gradient.

Each sample is a bag of words; the mean of the words' rows should be a given vector. Gradient
descent on half the squared error adds each sample's share to the rows of its words, as often as
they occur (Joulin, Grave, Bojanowski and Mikolov, Bag of Tricks for Efficient Text Classification,
2016). The size is words of the table * samples * width of a row * steps; the result is the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {
    "small": (50, 16, 8, 10),
    "medium": (20000, 4096, 64, 20),
    "large": (200000, 16384, 128, 4),
}
EXACT = True  # only + - * / and moves; rows of a sample and shares of a row are added in order

BAG = 8  # words of a sample
RATE = 0.5


def samples(np: Any, words: int, count: int) -> Any:
    """Returns the words of each sample, some repeated, as samples * BAG."""
    number = np.arange(count * BAG)
    return (number * number * 31 % 10007 * 7 % words).reshape(count, BAG)


def start(np: Any, words: int, width: int, dtype: str) -> Any:
    return ((np.arange(words * width) * 37 % 101 - 50) / 50).astype(dtype).reshape(words, width)


def wanted(np: Any, count: int, width: int, dtype: str) -> Any:
    return ((np.arange(count * width) * 53 % 97 - 48) / 24).astype(dtype).reshape(count, width)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """The table after the given number of steps."""
    words, count, width, steps = size
    bags = samples(np, words, count)
    table = start(np, words, width, dtype)
    target = wanted(np, count, width, dtype)
    for _ in range(steps):
        error = table[bags].mean(axis=1) - target
        gradient = np.zeros_like(table)
        np.add.at(gradient, bags, error[:, None, :] / BAG)
        table -= RATE * gradient
    return table


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks some columns against descent with the matrix of counts, and rows without words."""
    words, count, width, steps = size
    bags = samples(np, words, count)
    begin, target = start(np, words, width, "float64"), wanted(np, count, width, "float64")
    unused = np.ones(words, dtype=bool)
    unused[bags] = False
    assert (result[unused] == begin[unused].astype(result.dtype)).all(), "an unused row changed"
    sample = np.repeat(np.arange(count), BAG)
    word = bags.reshape(-1)
    slack = 64 * (1 + steps) * float(np.finfo(result.dtype).eps)
    for column in range(0, width, max(width // 4, 1)):
        row = begin[:, column].copy()
        for _ in range(steps):
            mean = np.bincount(sample, row[word], count) / BAG
            row -= RATE / BAG * np.bincount(word, (mean - target[:, column])[sample], words)
        assert np.abs(result[:, column] - row).max() <= slack, "this is no gradient descent"
    assert np.isfinite(result).all(), "a row is not finite"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
