"""SciPy takes hassium's arrays for NumPy's.

Most of it makes an array of NumPy's of what it is given. Elsewhere it asks whether something is
one: scipy.sparse adds, subtracts and compares nothing else and makes no linear operator of it,
ndimage fills no other `output`. And some functions in C check the type.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core


def _exported(value: Any) -> Any:
    """NumPy's view of an array and NumPy's own generator; anything else as it is."""
    if type(value) is _core.ndarray:
        return numpy.asarray(value)
    return getattr(value, "_numpys", value)


def _replace(module: str, name: str, made: Callable[[Any], Any]) -> None:
    """Puts another function in the place of one of scipy's, wherever it was imported to."""
    theirs = getattr(sys.modules[module], name)
    ours = made(theirs)
    ours.__name__, ours.__doc__, ours.__module__ = name, theirs.__doc__, theirs.__module__
    for other, loaded in list(sys.modules.items()):
        if (
            other.startswith(("scipy.", "numpy.testing"))
            and getattr(loaded, "__dict__", {}).get(name) is theirs
        ):
            setattr(loaded, name, ours)


_LIKE = numpy.empty(0)


def _is_instance(value: Any, classes: Any) -> bool:
    """isinstance, which says of an array of ours what it says of one of NumPy's."""
    return isinstance(_LIKE if type(value) is _core.ndarray else value, classes)


# Modules that use what is an instance of numpy.ndarray as it is, and fill it in place. Their
# numpy.ndarray stays NumPy's, since some compare classes.
ASKING = (
    "scipy.linalg._misc",
    "scipy.ndimage._interpolation",
    "scipy.ndimage._measurements",
    "scipy.ndimage._morphology",
    "scipy.odr._odrpack",
    "scipy.optimize._constraints",
    "scipy.optimize._lsq.least_squares",
    "scipy.optimize._lsq.lsq_linear",
    "scipy.optimize._minpack_py",
    "scipy.optimize._nonlin",
    "scipy.optimize._root_scalar",
    "scipy.signal._ltisys",
    "scipy.signal._peak_finding",
    "scipy.sparse._index",
    "scipy.sparse._lil",
    "scipy.sparse.linalg._matfuncs",
    "scipy.special._basic",
    "scipy.stats._mgc",
)


def teach_question(module: str) -> None:
    """For one of those modules."""
    vars(sys.modules[module])["isinstance"] = _is_instance


# Functions in C that take NumPy's arrays alone, or hand them to such.
STRICT = {
    "scipy.linalg._linalg_pythran": ("_funm_loops",),
    "scipy.linalg.interpolative": (
        "estimate_rank",
        "estimate_spectral_norm",
        "estimate_spectral_norm_diff",
        "id_to_svd",
        "interp_decomp",
        "reconstruct_matrix_from_id",
        "svd",
    ),
    "scipy.ndimage._ni_label": ("_label",),
    "scipy.optimize._group_columns": ("group_dense",),
    "scipy.optimize._lbfgsb": ("setulb",),
    "scipy.optimize._slsqplib": ("slsqp",),
    "scipy.spatial.distance": ("cdist", "pdist"),
    # of numpy.testing's, those that import the class when called
    "numpy.testing._private.utils": ("assert_equal", "assert_almost_equal"),
}


def _with_exports(function: Any) -> Any:
    """That function, called with exported memory."""

    @functools.wraps(function)
    def with_exports(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        exports = [_exported(value) for value in given]
        named = dict(zip(kwargs, exports[len(args) :], strict=True))
        result = function(*exports[: len(args)], **named)
        if type(result) is numpy.ndarray:  # what was given for `out` comes back as it was
            for value, export in zip(given, exports, strict=True):
                if result is export:
                    return value
        return result

    return with_exports


def teach_function(module: str, *names: str) -> None:
    """For functions of a module, called with exported memory from here on."""
    for name in names:
        _replace(module, name, _with_exports)


def teach_hulls() -> None:
    """For points added with a restart, which a type without a check joins to those it has."""
    user = sys.modules["scipy.spatial._qhull"]._QhullUser
    user._add_points = _with_exports(user._add_points)


def teach_operands() -> None:
    """For the operators of sparse arrays."""

    def made(isdense: Any) -> Any:
        return lambda x: type(x) is _core.ndarray or isdense(x)

    _replace("scipy.sparse._sputils", "isdense", made)


def teach_operators() -> None:
    """For iterative solvers, eigenvalues and singular values of dense matrices."""

    def made(aslinearoperator: Any) -> Any:
        return lambda A: aslinearoperator(_exported(A))

    _replace("scipy.sparse.linalg._interface", "aslinearoperator", made)


class Factors:
    """A factorization of SuperLU's, whose own `solve` is in C and takes NumPy's arrays alone."""

    def __init__(self, factors: Any) -> None:
        self._factors = factors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._factors, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._factors)

    def solve(self, rhs: Any, *args: Any, **kwargs: Any) -> Any:
        """Solves for one or more right-hand sides."""
        return self._factors.solve(_exported(rhs), *args, **kwargs)


def teach_factorizations() -> None:
    """For ``splu(A).solve(b)``, and ``factorized(A)(b)``, which calls it."""

    def made(factorize: Any) -> Any:
        return lambda *args, **kwargs: Factors(factorize(*args, **kwargs))

    for name in ("splu", "spilu"):
        _replace("scipy.sparse.linalg._dsolve.linsolve", name, made)
