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

from hassium import _core
from hassium.interop.exports import exported, replace, teach_function, teach_question, with_exports

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
}


def teach_hulls() -> None:
    """For points added with a restart, which a type without a check joins to those it has."""
    user = sys.modules["scipy.spatial._qhull"]._QhullUser
    user._add_points = with_exports(user._add_points)


def teach_operands() -> None:
    """For the operators of sparse arrays."""

    def made(isdense: Any) -> Any:
        return lambda x: type(x) is _core.ndarray or isdense(x)

    replace("scipy.sparse._sputils", "isdense", made)


def teach_operators() -> None:
    """For iterative solvers, eigenvalues and singular values of dense matrices."""

    def made(aslinearoperator: Any) -> Any:
        return lambda A: aslinearoperator(exported(A))

    replace("scipy.sparse.linalg._interface", "aslinearoperator", made)


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
        return self._factors.solve(exported(rhs), *args, **kwargs)


def teach_factorizations() -> None:
    """For ``splu(A).solve(b)``, and ``factorized(A)(b)``, which calls it."""

    def made(factorize: Any) -> Any:
        return lambda *args, **kwargs: Factors(factorize(*args, **kwargs))

    for name in ("splu", "spilu"):
        replace("scipy.sparse.linalg._dsolve.linsolve", name, made)


LESSONS: dict[str, Callable[[], None]] = {
    "scipy.sparse._sputils": teach_operands,
    "scipy.sparse.linalg._dsolve.linsolve": teach_factorizations,
    "scipy.sparse.linalg._interface": teach_operators,
    "scipy.spatial._qhull": teach_hulls,
    **{name: functools.partial(teach_question, name) for name in ASKING},
    **{where: functools.partial(teach_function, where, *names) for where, names in STRICT.items()},
}
