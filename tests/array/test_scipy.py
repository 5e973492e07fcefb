"""scipy.sparse with hassium's arrays for operands."""

from __future__ import annotations

import operator
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import outcome

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
solvers: Any = pytest.importorskip("scipy.sparse.linalg", reason="scipy is not installed")

DENSE = numpy.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]])
SPARSE = {
    f"{kind}_{form}": getattr(sparse, f"{kind}_{form}")
    for kind in ("csr", "csc", "coo", "dok", "lil", "dia", "bsr")
    for form in ("matrix", "array")
}
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul,
    operator.eq, operator.ne, operator.lt, operator.ge,
]  # fmt: skip


def plain(result: tuple[str, Any]) -> Any:
    """An outcome to compare: of a sparse array the type, and the values of any."""
    value = result[1]
    if sparse.issparse(value):
        return type(value).__name__, value.toarray().tolist()
    return numpy.asarray(value).tolist()


def same(theirs: Callable[[], Any], ours: Callable[[], Any]) -> None:
    assert plain(outcome(ours)) == plain(outcome(theirs))


@pytest.mark.parametrize("call", OPERATORS)
@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.filterwarnings("ignore")  # scipy's, of efficiency, and of quotients
def test_operators(kind: str, call: Callable[[Any, Any], Any]) -> None:
    matrix = SPARSE[kind](DENSE)
    theirs = DENSE + 1
    ours = hassium.asarray(DENSE) + 1
    same(lambda: call(theirs, matrix), lambda: call(ours, matrix))
    same(lambda: call(matrix, theirs), lambda: call(matrix, ours))


def test_dense_matrices_as_linear_operators() -> None:
    ours, right = hassium.asarray(DENSE) * 1, hassium.ones(3)
    found = solvers.aslinearoperator(ours) @ right
    assert numpy.array_equal(found, DENSE.sum(1))
    for solve in (solvers.cg, solvers.gmres):
        answer, info = solve(ours, right, rtol=1e-12)
        assert info == 0
        assert numpy.allclose(DENSE @ answer, 1)
    expected = numpy.linalg.eigvalsh(DENSE)
    assert numpy.allclose(solvers.eigsh(ours, k=1)[0], expected[-1:])
    assert numpy.allclose(solvers.svds(ours, k=1)[1], expected[-1:])


def test_factorizations() -> None:
    matrix = sparse.csc_matrix(DENSE)
    right = hassium.arange(3.0) + 1
    factors = solvers.splu(matrix)
    assert isinstance(factors, solvers.SuperLU)
    assert factors.shape == (3, 3)
    expected = numpy.linalg.solve(DENSE, [1, 2, 3])
    for solve in (factors.solve, solvers.factorized(matrix), solvers.spilu(matrix).solve):
        assert numpy.allclose(solve(right), expected)
    transposed = factors.solve(right, trans="T")
    assert numpy.allclose(transposed, expected)
    with pytest.raises(TypeError):
        factors.solve([1.0, 2.0, 3.0])  # nor does scipy's


@pytest.mark.parametrize("first", ["numpy", "scipy"])
def test_whoever_is_imported_first(first: str, tmp_path: Path) -> None:
    lines = ["import hassium as np", "import scipy.sparse, scipy.sparse.linalg"]
    program = tmp_path / "program.py"
    program.write_text(
        "\n".join(lines if first == "numpy" else lines[::-1])
        + "\na, s = np.ones((3, 3)), scipy.sparse.eye(3, format='csc')\n"
        "assert (a - s).sum() == 6 and (s + a).sum() == 12\n"
        "assert (scipy.sparse.linalg.aslinearoperator(a) @ a[0])[0] == 3\n"
        "assert (scipy.sparse.linalg.splu(s).solve(a[0]) == 1).all()\n"
    )
    subprocess.run([sys.executable, str(program)], check=True)
