"""scipy.sparse takes hassium's arrays for dense ones.

Most of scipy makes an array of NumPy's of what it is given. scipy.sparse asks whether an operand is
one: of another it adds, subtracts and compares nothing, and makes no linear operator.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy

from hassium import _core


def _exported(value: Any) -> Any:
    """NumPy's view of an array; anything else as it is."""
    return numpy.asarray(value) if type(value) is _core.ndarray else value


def _replace(module: str, name: str, made: Callable[[Any], Any]) -> None:
    """Puts another function in the place of one of scipy's, wherever it was imported to."""
    theirs = getattr(sys.modules[module], name)
    ours = made(theirs)
    ours.__name__, ours.__doc__, ours.__module__ = name, theirs.__doc__, theirs.__module__
    for other, loaded in list(sys.modules.items()):
        if other.startswith("scipy.") and getattr(loaded, "__dict__", {}).get(name) is theirs:
            setattr(loaded, name, ours)


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
