"""SciPy and numpy.testing with hassium's arrays."""

from __future__ import annotations

import importlib
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
from packages import wanted

sparse = wanted("scipy.sparse")
solvers: Any = wanted("scipy.sparse.linalg")

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


def scipys(name: str) -> Any:
    return importlib.import_module(f"scipy.{name}")


def _minimum(method: str) -> Callable[[Any], Any]:
    def case(np: Any) -> Any:
        goal = np.arange(4.0)

        def gradient(x: Any) -> Any:
            return 2 * (x - goal)

        minimize = scipys("optimize").minimize
        return minimize(
            lambda x: np.sum((x - goal) ** 2), np.zeros(4), jac=gradient, method=method
        ).x

    return case


def _fit(method: str) -> Callable[[Any], Any]:
    def case(np: Any) -> Any:
        return scipys("optimize").least_squares(
            lambda x: np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]),
            np.array([-1.2, 1.0]),
            lambda x: np.array([[-20 * x[0], 10], [-1, 0]]),
            method=method,
        ).x  # fmt: skip

    return case


def _filled(name: str, kind: Any, place: str = "output") -> Callable[[Any], Any]:
    def case(np: Any) -> Any:
        output = np.zeros((5, 5), kind)
        mask = np.arange(25).reshape(5, 5) % 7 > 2
        getattr(scipys("ndimage"), name)(mask, **{place: output})
        return output + 0

    return case


def _distances(name: str, shape: Any, *args: Any) -> Callable[[Any], Any]:
    def case(np: Any) -> Any:
        points, out = np.arange(12.0).reshape(4, 3) ** 2, np.zeros(shape)
        operands = (points, points) if name == "cdist" else (points,)
        assert getattr(scipys("spatial.distance"), name)(*operands, *args, out=out) is out
        return out + 0

    return case


def _hull(np: Any) -> Any:
    points = np.sin(np.arange(36.0) ** 2).reshape(12, 3)
    hull = scipys("spatial").ConvexHull(points[:5], incremental=True)
    hull.add_points(points[5:], restart=True)
    return hull.volume


def _low_rank(function: str, *args: Any, number: int = 0) -> Callable[[Any], Any]:
    def case(np: Any) -> Any:
        matrix = np.arange(36.0).reshape(6, 6) + np.eye(6)
        rng = np.random.default_rng(5)
        found = getattr(scipys("linalg.interpolative"), function)(matrix, *args, rng=rng)
        return found[number] if isinstance(found, tuple) else found

    return case


def _jacobian(np: Any) -> Any:
    return (
        scipys("optimize").least_squares(lambda x: x**2 - 3, np.ones(4), jac_sparsity=np.eye(4)).x
    )


def _system(np: Any) -> Any:
    ones = np.ones((1, 1))
    return scipys("signal").StateSpace(ones, ones, ones, ones)


CASES: dict[str, Callable[[Any], Any]] = {
    "L-BFGS-B": _minimum("L-BFGS-B"),
    "SLSQP": _minimum("SLSQP"),
    "least squares, trf": _fit("trf"),
    "least squares, lm": _fit("lm"),
    "least squares, sparse": _jacobian,
    "cdist": _distances("cdist", (4, 4)),
    "cdist, cosine": _distances("cdist", (4, 4), "cosine"),
    "pdist": _distances("pdist", 6, "cityblock"),
    "hull": _hull,
    "decomposition": _low_rank("interp_decomp", 3, number=1),
    "decomposition, precision": _low_rank("interp_decomp", 1e-9),
    "low rank svd": _low_rank("svd", 1e-8, number=1),
    "rank": _low_rank("estimate_rank", 1e-8),
    "spectral norm": _low_rank("estimate_spectral_norm"),
    "label": _filled("label", "i4"),
    "dilation": _filled("binary_dilation", "?"),
    "holes": _filled("binary_fill_holes", "?"),
    "distances": _filled("distance_transform_edt", "f8", "distances"),
    "system": lambda np: (_system(np) * np.full((1, 1), 2.0)).B,
    "funm": lambda np: scipys("linalg").funm(np.diag(np.arange(3.0)), np.exp).real,
    "factorial": lambda np: scipys("special").factorial(np.arange(5), exact=True),
    "bounds": lambda np: scipys("optimize").fmin_slsqp(
        lambda x: np.sum(x**2), [2.5], bounds=[(np.array([2]), np.array([3]))], iprint=0
    ),
    "integers": lambda np: scipys("sparse.linalg").expm(np.array([[-500, 500], [0, -9]], "i2")),
    "bracket": lambda np: scipys("optimize").root_scalar(np.cos, bracket=np.array([1, 2])).root,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("default")  # scipy's own
def test_where_scipy_asks_for_an_array(name: str) -> None:
    found, expected = (numpy.asarray(CASES[name](module)) for module in (hassium, numpy))
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_what_is_not_finite_is_refused() -> None:
    for np in (hassium, numpy):
        with pytest.raises(ValueError, match="infs or NaNs"):
            scipys("optimize").curve_fit(lambda x, a: a * x, np.array([1, np.nan]), np.ones(2))


@pytest.mark.parametrize("named", [False, True])
def test_routines_overwrite_only_what_they_may(named: bool) -> None:
    """f2py copies what is overwritten of NumPy's arrays, and took ours for a copy."""
    lapack = importlib.import_module("scipy.linalg.lapack")
    blas = importlib.import_module("scipy.linalg.blas")
    answers = []
    for np in (numpy, hassium):
        a, b, y = np.array([[2.0, 1], [1, 3]], order="F"), np.ones(2), np.ones(2)
        solve = lapack.get_lapack_funcs("gesv", (a, b)) if named else lapack.dgesv
        solved = solve(a, b)
        product = blas.dgemv(1.0, a, b, y=y, beta=1.0)
        untouched = [numpy.array(x) for x in (a, b, y)]
        assert solve(a, b, overwrite_b=True)[2] is not None
        answers.append([*solved, product, *untouched, b])
    for theirs, ours in zip(*answers, strict=True):
        numpy.testing.assert_array_equal(ours, theirs)


def test_assertions_of_numpys() -> None:
    a = hassium.arange(3.0)
    numpy.testing.assert_equal(a, hassium.arange(3.0))
    numpy.testing.assert_almost_equal(actual=a, desired=a + 1e-12)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 3"):
        numpy.testing.assert_equal(a, hassium.array([0.0, 1, 3]))


@pytest.mark.parametrize("first", ["numpy", "scipy"])
def test_whoever_is_imported_first(first: str, tmp_path: Path) -> None:
    modules = "scipy.sparse, scipy.sparse.linalg, scipy.optimize, numpy.testing"
    lines = ["import hassium as np", f"import {modules}"]
    program = tmp_path / "program.py"
    program.write_text(
        "\n".join(lines if first == "numpy" else lines[::-1])
        + "\na, s = np.ones((3, 3)), scipy.sparse.eye(3, format='csc')\n"
        "assert (a - s).sum() == 6 and (s + a).sum() == 12\n"
        "assert (scipy.sparse.linalg.aslinearoperator(a) @ a[0])[0] == 3\n"
        "assert (scipy.sparse.linalg.splu(s).solve(a[0]) == 1).all()\n"
        "x = scipy.optimize.fmin_slsqp(\n"
        "    lambda x: ((x - a[0]) ** 2).sum(), a[1] + 1,\n"
        "    fprime=lambda x: 2 * (x - a[0]), disp=0)\n"
        "numpy.testing.assert_almost_equal(x, a[0])\n"
    )
    subprocess.run([sys.executable, str(program)], check=True)


def test_nothing_of_a_package_is_imported_before_the_program_does() -> None:
    script = (
        "import sys, hassium\n"
        "assert not {'scipy', 'pandas', 'hassium.interop.jax'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
