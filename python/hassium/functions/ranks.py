"""Medians and quantiles: of short lines by a sorting network, of a long one by counting.

NumPy partitions a copy, line after line, on one core. Here lines of a few elements are sorted all
at once by recorded minima and maxima, longer ones by sorting on all cores. For a single long line a
sample bounds the wanted ranks: elements within the bounds are counted and taken out, and NumPy
sorts these few.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from hassium import _core
from hassium.functions import creation

_U = _core.ufuncs
_SORT = _core.routine("sort")
_sum = _U["add"].reduce

# Lines up to that length are sorted by the network, if there are at least so many.
_SHORT, _MANY_LINES = 32, 500
# Partitioning a line of fewer elements takes no longer than counting.
_LONG = 20_000
_MOST_QUANTILES = 8
# The sample holds one of so many elements, within bounds.
_SAMPLED, _LEAST_SAMPLE, _MOST_SAMPLE = 64, 1024, 16_384
# The bounds are so many standard deviations of a rank in the sample away on both sides.
_DEVIATIONS = 4.0
_HASH = 2_654_435_761  # Knuth's multiplier: positions without a common period with the data


class Lines:
    """The lines of `x` along some axes, or all of it as one, and their elements by rank."""

    def __init__(self, x: Any, axis: Any) -> None:
        self.x = x
        every = tuple(range(x.ndim))
        self.axes = every if axis is None else normalize_axis_tuple(axis, x.ndim)
        self.kept = tuple(n for k, n in enumerate(x.shape) if k not in self.axes)
        self.length = math.prod(x.shape[k] for k in self.axes)

    def elements(self, ranks: list[int]) -> list[Any] | None:
        """Returns arrays of the lines' elements of these ascending ranks, or None for NumPy."""
        lines = math.prod(self.kept)
        if 0 < self.length <= _SHORT and lines >= _MANY_LINES:
            return sorted_by_network(self._views(), ranks)
        if lines == 1 and self.length >= _LONG:
            return self._of_one(ranks)
        return self._of_sorted(ranks) if lines > 1 and self.length > 0 else None

    def _of_one(self, ranks: list[int]) -> list[Any] | None:
        found = _counted(self.x.reshape(-1), ranks)
        if found is None or not self.kept:
            return found
        return [creation.asarray(part).reshape(self.kept) for part in found]

    def _of_sorted(self, ranks: list[int]) -> list[Any] | None:
        """Sorts lines, which NumPy does faster than it partitions them; NaNs are at their ends."""
        kept = [k for k in range(self.x.ndim) if k not in self.axes]
        lines = _SORT(self.x.transpose([*kept, *self.axes]).reshape(-1, self.length))
        last = lines[:, -1]
        found = [lines[:, rank] for rank in ranks]
        if self.x.dtype.kind == "f":
            found = [_U["where"](last == last, part, last) for part in found]
        return [part.reshape(self.kept) for part in found]

    def _views(self) -> list[Any]:
        spans = [range(n) if k in self.axes else (slice(None),) for k, n in enumerate(self.x.shape)]
        return [self.x[index] for index in itertools.product(*spans)]

    def shaped(self, found: Any, keepdims: bool) -> Any:
        """Returns `found` in the shape of the kept axes, behind any others, as NumPy does."""
        if not keepdims:
            return found
        before = numpy.shape(found)[: numpy.ndim(found) - len(self.kept)]
        kept = tuple(1 if k in self.axes else n for k, n in enumerate(self.x.shape))
        return creation.asarray(found).reshape(before + kept)


@functools.lru_cache(256)
def network(length: int, ranks: tuple[int, ...]) -> list[tuple[int, int]]:
    """Returns the pairs to compare and exchange until those ranks hold their elements.

    Batcher, Sorting networks and their applications, 1968: odd-even merging, without the
    comparators on which the ranks do not depend.
    """
    pairs = []
    p = 1
    while p < length:
        k = p
        while k >= 1:
            for j in range(k % p, length - k, 2 * k):
                for i in range(min(k, length - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        pairs.append((i + j, i + j + k))
            k //= 2
        p *= 2
    wanted, needed = set(ranks), []
    for pair in reversed(pairs):
        if wanted & set(pair):
            wanted |= set(pair)
            needed.append(pair)
    return needed[::-1]


def sorted_by_network(lines: list[Any], ranks: list[int]) -> list[Any]:
    """Returns the elements of these ranks. A NaN reaches every rank through minima and maxima."""
    lines = list(lines)
    for low, high in network(len(lines), tuple(ranks)):
        a, b = lines[low], lines[high]
        lines[low], lines[high] = _U["minimum"](a, b), _U["maximum"](a, b)
    return [lines[rank] for rank in ranks]


def _counted(x: Any, ranks: list[int]) -> list[Any] | None:
    n = x.shape[0]
    size = min(max(n // _SAMPLED, _LEAST_SAMPLE), _MOST_SAMPLE)
    positions = creation.arange(size) * _HASH % n
    sample = numpy.sort(numpy.asarray(x[positions]))
    found: list[Any] = []
    for first, last in _neighbours(ranks):
        slack = _DEVIATIONS * math.sqrt(size * (first + 1) * (n - first)) / n + 1
        low = sample[max(math.floor(first / n * size - slack), 0)]
        high = sample[min(math.ceil(last / n * size + slack), size - 1)]
        near = _between(x, low, high, first / n * size < slack, last / n * size + slack > size - 1)
        below = _sum(x < low) if first / n * size >= slack else 0
        nans = _sum(x != x)
        inside = numpy.asarray(x[near])
        start = int(below)
        if int(nans) or not (start <= first and last < start + len(inside)):
            return None
        inside = numpy.partition(inside, [first - start, last - start])
        found += [inside[rank - start] for rank in sorted({first, last})]
    return found


def _neighbours(ranks: list[int]) -> list[tuple[int, int]]:
    """Groups consecutive ranks, which are searched together."""
    groups: list[tuple[int, int]] = []
    for rank in ranks:
        if groups and groups[-1] == (rank - 1, rank - 1):
            groups[-1] = (rank - 1, rank)
        else:
            groups.append((rank, rank))
    return groups


def _between(x: Any, low: Any, high: Any, from_least: bool, to_most: bool) -> Any:
    if from_least:
        return x <= high if not to_most else x == x
    return x >= low if to_most else (x >= low) & (x <= high)


def median(x: Any, axis: Any, keepdims: bool) -> Any:
    """Returns the median of lines, or NotImplemented."""
    lines = Lines(x, axis)
    half = lines.length // 2
    ranks = [half] if lines.length % 2 else [half - 1, half]
    found = lines.elements(ranks)
    if found is None:
        return NotImplemented
    if not lines.kept:
        return lines.shaped(numpy.mean(numpy.array(found)), keepdims)
    if x.dtype.kind != "f":  # as NumPy's mean of integers
        found = [part.astype(float) for part in found]
    return lines.shaped(found[0] * 1 if len(found) == 1 else (found[0] + found[1]) / 2.0, keepdims)


def quantile(x: Any, q: Any, axis: Any, keepdims: bool, weak: bool) -> Any:
    """Returns quantiles `q` of lines, interpolated in NumPy's steps, or NotImplemented."""
    lines = Lines(x, axis)
    n = lines.length
    if q.size > _MOST_QUANTILES or n == 0 or q.dtype.kind != "f" or numpy.isnan(q).any():
        return NotImplemented
    virtual = numpy.asanyarray((n - 1) * q)
    before = numpy.asanyarray(numpy.floor(virtual))
    after = numpy.asanyarray(before + 1)
    before[virtual >= n - 1] = after[virtual >= n - 1] = -1
    before, after = before.astype(numpy.intp), after.astype(numpy.intp)
    ranks = sorted({int(k) % n for k in (*before.flat, *after.flat)})
    found = lines.elements(ranks)
    if found is None:
        return NotImplemented
    of_rank = dict(zip(ranks, found, strict=True))
    gamma = numpy.asanyarray(virtual - before)

    def interpolated(low: Any, high: Any, t: Any) -> Any:
        spread = high - low
        return high - spread * (1 - t) if t >= 0.5 else low + spread * t

    steps = zip(before.flat, after.flat, gamma.flat, strict=True)
    values = [
        interpolated(of_rank[int(b) % n], of_rank[int(a) % n], float(t) if weak else t)
        for b, a, t in steps
    ]
    if q.ndim == 0:
        return lines.shaped(values[0], keepdims)
    whole = creation.empty((len(values), *lines.kept), numpy.result_type(*values))
    for k, value in enumerate(values):
        whole[k] = value
    return lines.shaped(whole.reshape(q.shape + lines.kept), keepdims)
