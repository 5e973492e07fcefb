"""Norms and products of `numpy.linalg`."""

from __future__ import annotations

import operator
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from hassium import _core, _fallback
from hassium._core import as_view, asarray
from hassium.functions import elementwise, manipulation, products, reductions

_U = _core.ufuncs
_sum = _U["add"].reduce
_sqrt = _U["sqrt"]

NATIVE = (
    "cross", "diagonal", "matmul", "matrix_norm", "norm", "outer", "tensordot", "trace",
)  # fmt: skip

# Below so many elements, a vector's product with itself costs less than a sum that is fused with
# the computation of the elements.
_FEW = 1024

# Functions of matrix stacks (`stacks`) whose result dtype does not depend on the elements.
OF_STACKS = ("eigh", "eigvalsh", "inv", "pinv", "qr", "solve", "svd", "svdvals")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a vector or matrix, or norms along one or two axes: see `numpy.linalg.norm`.

    By default of order 2 of all elements. The orders 2, -2 and "nuc" of matrices need singular
    values and go through NumPy.
    """
    euclidean = axis is None and not keepdims and (ord is None or (type(ord) is int and ord == 2))
    if euclidean and type(x) is numpy.ndarray and x.ndim == 1 and x.dtype.char in "df":
        # No pending work on NumPy's array could share a loop with the sum.
        squares = _core.dot(x, x)
        if squares is not NotImplemented:
            return _sqrt(squares)
    x = asarray(x)
    if x.dtype.char not in "dfDF":
        if x.dtype.kind in "fcO":  # NumPy does not round the squares of float16
            return _fallback.call("linalg.norm", numpy.linalg.norm, (x, ord, axis, keepdims), {})
        x = x.astype(float)
    if ord is not None and x.size == 0:  # versions of NumPy differ in what has a norm
        return _fallback.call("linalg.norm", numpy.linalg.norm, (x, ord, axis, keepdims), {})
    rank = x.ndim
    if axis is None:
        if ord is None or (rank == 1 and ord == 2) or (rank == 2 and ord in ("f", "fro")):
            if rank == 1 and x.size <= _FEW and not keepdims and x.dtype.kind == "f":
                return _sqrt(_core.dot_product(x, x))
            return _sqrt(_sum(_squares(x), axis=None, keepdims=bool(keepdims)))
        axes = tuple(range(rank))
    else:
        axes = _axes_of(axis, rank)
    if len(axes) == 1:
        return _of_vectors(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if axes[0] == axes[1]:
        raise ValueError("Duplicate axes given.")
    if (not isinstance(ord, str) and ord in (2, -2)) or ord == "nuc":
        return _fallback.call("linalg.norm", numpy.linalg.norm, (x, ord, axis, keepdims), {})
    return _of_matrices(x, ord, axes, bool(keepdims))  # NumPy requires no more of it either


def _axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    if not isinstance(axis, tuple):
        try:
            axis = (operator.index(axis) if not isinstance(axis, float) else int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    return tuple(normalize_axis_index(k, rank) for k in axis)


def _squares(x: Any) -> Any:
    if x.dtype.kind != "c":
        return x * x
    real, imag = x.real, x.imag
    return real * real + imag * imag


def _of_vectors(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord is None or (not isinstance(ord, str) and ord == 2):
        return _sqrt(_sum(_squares(x), axis=axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == numpy.inf:
        return _U["maximum"].reduce(abs(x), axis=axis, keepdims=keepdims, initial=0)
    if ord == -numpy.inf:
        return _U["minimum"].reduce(abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return _sum((x != 0).astype(x.real.dtype), axis=axis, keepdims=keepdims)
    total = _sum(abs(x) if ord == 1 else abs(x) ** ord, axis=axis, keepdims=keepdims)
    return total if ord == 1 else total ** numpy.reciprocal(ord, dtype=total.dtype)


def _of_matrices(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if ord is None or ord in ("f", "fro"):
        return _sqrt(_sum(_squares(x), axis=axes, keepdims=keepdims))
    summed = {1: 0, -1: 0, numpy.inf: 1, -numpy.inf: 1}.get(ord)
    if summed is None:
        raise ValueError("Invalid norm order for matrices.")
    sums = _sum(abs(x), axis=axes[summed], keepdims=True)
    if ord > 0:
        return _U["maximum"].reduce(sums, axis=axes, initial=0, keepdims=keepdims)
    return _U["minimum"].reduce(sums, axis=axes, keepdims=keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Returns the norms of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Returns the vector product of arrays of vectors with three components."""
    shapes = manipulation.shape(x1), manipulation.shape(x2)
    if not all(shape and shape[axis] == 3 for shape in shapes):
        return NotImplemented
    return products.cross(x1, x2, axis=axis)


def outer(x1: Any, x2: Any, /) -> Any:
    """Returns products of all pairs of elements of two vectors."""
    ranks = manipulation.ndim(x1), manipulation.ndim(x2)
    if ranks != (1, 1):
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={ranks[0]} and x2.ndim={ranks[1]}."
        )
    return elementwise.outer(x1, x2)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Returns sums of products over pairs of axes."""
    return products.tensordot(x1, x2, axes)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Returns sums along a diagonal of the matrices in the last two axes."""
    return reductions.trace(x, offset, -2, -1, dtype)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Returns a diagonal of the matrices in the last two axes: a view."""
    return as_view(x).diagonal(offset, -2, -1)


def matmul(x1: Any, x2: Any, /) -> Any:
    """Returns the product of matrices."""
    return _U["matmul"](x1, x2)
