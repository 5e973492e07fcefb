"""Sums of products over labelled axes, for `einsum`: recorded, or as matrix products.

NumPy's loop over all labels is slow where a matrix product is meant, and runs on one core; see
`numpy.einsum`.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from hassium import _core, _fallback
from hassium.functions import creation

_U = _core.ufuncs


@functools.lru_cache(1024)
def labels_of(subscripts: str) -> tuple[tuple[str, ...], str] | None:
    """Returns the labels of the operands and of the result, or None to fall back to NumPy.

    NumPy handles axes without labels, diagonals and errors.
    """
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = tuple(inputs.split(","))
    if not all(term.isascii() and term.isalpha() for term in (*terms, result or "i")):
        return None
    if any(len(set(term)) < len(term) for term in (*terms, result)):
        return None
    every = "".join(terms)
    if not arrow:
        result = "".join(sorted(label for label in set(every) if every.count(label) == 1))
    return (terms, result) if set(result) <= set(every) else None


def einsum(subscripts: Any, arrays: tuple[Any, ...], optimize: Any) -> Any:
    """Returns the sum of products, or NotImplemented."""
    labels = labels_of(subscripts)
    if labels is None or len(labels[0]) != len(arrays):
        return NotImplemented
    terms, result = labels
    extents: dict[str, int] = {}
    for array, term in zip(arrays, terms, strict=True):
        shape = getattr(array, "shape", ())
        if len(shape) != len(term):
            return NotImplemented
        for label, n in zip(term, shape, strict=True):
            if extents.setdefault(label, n) != n:
                return NotImplemented
    operands = [_fallback.own_array(a) for a in arrays]
    if any(x is None for x in operands):
        return NotImplemented
    dtype = numpy.result_type(*[x.dtype for x in operands])
    if dtype.char not in "lfdFD":
        return NotImplemented
    operands = [x.astype(dtype, copy=False) for x in operands]
    with numpy.errstate(all="ignore"):  # NumPy's loop reports nothing
        if len(operands) == 1:
            found = _summed(operands[0], terms[0], result)
        else:
            found = _contract(operands, list(terms), result, bool(optimize))
    if found is NotImplemented or found.ndim < 2:
        return found
    # With `optimize`, extents decide the order in which NumPy contracts three or more operands.
    shapes = tuple(a.shape for a in arrays) if optimize and len(arrays) > 2 else ()
    lies = tuple(map(_lie, arrays))
    return _laid_out(found, _memory_order(subscripts, optimize, lies, shapes))


def _lie(array: Any) -> Any:
    """Returns what decides the layout of NumPy's result: axes of extent 1, axis order, and repeats.

    For most arrays it is their rank.
    """
    shape, strides = array.shape, array.strides
    if array.flags.c_contiguous and min(shape, default=2) > 1:
        return len(shape)
    order = sorted(range(len(strides)), key=lambda k: -abs(strides[k]))
    return tuple(min(n, 2) for n in shape), tuple(order), tuple(s == 0 for s in strides)


@functools.lru_cache(1024)
def _memory_order(
    subscripts: str, optimize: Any, lies: tuple[Any, ...], shapes: tuple[Any, ...]
) -> tuple[int, ...]:
    """Returns the axes of NumPy's result for arrays of that layout, outermost in memory first."""
    small = []
    for lie in lies:
        if type(lie) is int:
            small.append(numpy.empty((2,) * lie))
            continue
        shape, order, repeats = lie
        once = numpy.empty([1 if repeats[k] else shape[k] for k in order])
        small.append(numpy.broadcast_to(once.transpose(numpy.argsort(order)), shape))
    if shapes:
        shaped = [numpy.broadcast_to(0.0, shape) for shape in shapes]
        optimize = numpy.einsum_path(subscripts, *shaped, optimize=optimize)[0]
    with numpy.errstate(all="ignore"):
        strides = numpy.einsum(subscripts, *small, optimize=optimize).strides
    return tuple(sorted(range(len(strides)), key=lambda k: -strides[k]))


def _laid_out(x: Any, order: tuple[int, ...]) -> Any:
    """Returns the array with its axes in memory in that order."""
    if x.transpose(order).flags.c_contiguous:
        return x
    memory = creation.empty([x.shape[k] for k in order], x.dtype)
    found = memory.transpose([order.index(k) for k in range(x.ndim)])
    found[...] = x
    return found


def _contract(operands: list[Any], terms: list[str], result: str, optimize: bool) -> Any:
    """Contracts pair by pair, in an order that keeps intermediates small.

    With `optimize` NumPy takes the second operand of a pair first, which shows in the result's
    order.
    """
    shapes = tuple(x.shape for x in operands)
    for pair in _order(",".join(terms) + "->" + result, shapes):
        (x, of_x), (y, of_y) = ((operands[k], terms[k]) for k in sorted(pair, reverse=optimize))
        for part in (operands, terms):
            for k in sorted(pair, reverse=True):
                part.pop(k)
        wanted = set(result).union(*terms)
        kept = "".join(label for label in dict.fromkeys(of_x + of_y) if label in wanted)
        found = _product(x, of_x, y, of_y, kept if terms else result)
        if found is NotImplemented:
            return NotImplemented
        operands.append(found)
        terms.append(kept)
    return operands[0]


@functools.lru_cache(1024)
def _order(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """Returns pairs of positions; the result of each pair is appended to the remaining operands."""
    if len(shapes) == 2:
        return [(0, 1)]
    shaped = [numpy.broadcast_to(0.0, shape) for shape in shapes]
    pairs: list[tuple[int, int]] = []
    for several in numpy.einsum_path(subscripts, *shaped, optimize="greedy")[0][1:]:
        rest = sorted(several)
        count = len(shapes) - len(pairs)
        while len(rest) > 1:
            pairs.append((rest.pop(0), rest.pop(0)))
            count -= 1
            rest = [k - 2 for k in rest] + [count - 1] if rest else []
    return pairs


def _summed(x: Any, term: str, result: str) -> Any:
    """Sums one operand. Without a summed axis the result is a view, which NumPy makes."""
    axes = tuple(k for k, label in enumerate(term) if label not in result)
    return _transposed(_U["add"].reduce(x, axes), term, result) if axes else NotImplemented


def _transposed(sums: Any, term: str, result: str) -> Any:
    """Returns sums over the labels of `term` that `result` lacks, with its order of axes."""
    left = [label for label in term if label in result]
    return sums.transpose([left.index(label) for label in result]) if len(left) > 1 else sums


def _product(x: Any, of_x: str, y: Any, of_y: str, result: str) -> Any:
    """Multiplies two operands; only the labels of `result` are kept."""
    x, of_x = _without(x, of_x, set(of_y) | set(result))
    y, of_y = _without(y, of_y, set(of_x) | set(result))
    both = [label for label in of_x if label in of_y]
    summed = [label for label in both if label not in result]
    if not summed:
        return _aligned(x, of_x, result) * _aligned(y, of_y, result)
    x_alone = [label for label in of_x if label not in of_y]
    y_alone = [label for label in of_y if label not in of_x]
    if x_alone and y_alone:
        batch = [label for label in both if label in result]
        return _matrices(x, of_x, y, of_y, (batch, x_alone, summed, y_alone), result)
    if y_alone:
        x, of_x, y, of_y = y, of_y, x, of_x
    axes = [of_x.index(label) for label in summed]
    if max(axes) - min(axes) >= len(axes):
        return NotImplemented  # summed axes on both sides of a kept one: NumPy's loop is as fast
    # The products have no name: they are not stored if their sum is one number.
    sums = _U["add"].reduce(x * _aligned(y, of_y, of_x), tuple(axes))
    return _transposed(sums, of_x, result)


def _without(x: Any, term: str, wanted: set[str]) -> tuple[Any, str]:
    """Returns the operand summed over labels that occur nowhere else."""
    axes = tuple(k for k, label in enumerate(term) if label not in wanted)
    if not axes:
        return x, term
    return _U["add"].reduce(x, axes), "".join(label for label in term if label in wanted)


def _aligned(x: Any, term: str, order: str) -> Any:
    """Returns the operand with an axis for each label of `order`, of extent 1 where it has none."""
    x = x.transpose([term.index(label) for label in order if label in term])
    return x[tuple(slice(None) if label in term else None for label in order)]


def _matrices(x: Any, of_x: str, y: Any, of_y: str, parts: Any, result: str) -> Any:
    """Multiplies matrices, one pair for each index of the axes common to operands and result."""
    if x.dtype.kind not in "fc":
        return NotImplemented
    batch, rows, summed, columns = parts

    def stacked(array: Any, term: str, *groups: list[str]) -> tuple[Any, list[int]]:
        order = [term.index(label) for group in (batch, *groups) for label in group]
        shape = [array.shape[k] for k in order]
        ends = [len(batch), len(batch) + len(groups[0])]
        matrix = [math.prod(shape[ends[0] : ends[1]]), math.prod(shape[ends[1] :])]
        return array.transpose(order).reshape(shape[: ends[0]] + matrix), shape

    a, of_a = stacked(x, of_x, rows, summed)
    b, of_b = stacked(y, of_y, summed, columns)
    found = _U["matmul"](a, b)
    kept = of_a[: len(batch) + len(rows)] + of_b[len(batch) + len(summed) :]
    labels = batch + rows + columns
    return found.reshape(kept).transpose([labels.index(label) for label in result])
