"""Linear algebra of stacks of matrices: NumPy's bits, however the stack is shared out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium.functions import parallelize

CALLS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "eigh": ("eigh", 3, {}),
    "eigh of upper triangles": ("eigh", 4, {"UPLO": "U"}),
    "eigvalsh": ("eigvalsh", 3, {}),
    "inv": ("inv", 16, {}),
    "pinv": ("pinv", 3, {}),
    "pinv of symmetric ones": ("pinv", 3, {"hermitian": True}),
    "qr": ("qr", 5, {}),
    "r alone": ("qr", 5, {"mode": "r"}),
    "svd": ("svd", 3, {}),
    "svd, thin": ("svd", 3, {"full_matrices": False}),
    "no vectors": ("svd", 3, {"compute_uv": False}),
    "svdvals": ("svdvals", 4, {}),
}


@pytest.fixture
def shares(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many matrices there were to share, call by call."""
    counts: list[int] = []
    share = parallelize.share

    def counting(work: Callable[[slice], None], count: int) -> None:
        counts.append(count)
        share(work, count)

    monkeypatch.setattr(parallelize, "share", counting)
    return counts


def stack(shape: tuple[int, ...], dtype: str) -> Any:
    r = numpy.random.default_rng(3)
    x = r.standard_normal(shape) + (1j * r.standard_normal(shape) if dtype[0] == "c" else 0)
    if shape[-1] == shape[-2]:
        x = x @ x.conj().swapaxes(-1, -2) + numpy.eye(shape[-1])
    return x.astype(dtype)


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert found._fields == wanted._fields
        for f, w in zip(found, wanted, strict=True):
            same(f, w)
        return
    assert type(found) is np.ndarray
    assert found.dtype == wanted.dtype
    numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("call", CALLS)
def test_stacks(call: str, dtype: str, threads: int, shares: list[int]) -> None:
    name, m, options = CALLS[call]
    x = stack((2001, m, m), dtype)
    with np.config(threads=threads):
        found = getattr(np.linalg, name)(np.array(x), **options)
    same(found, getattr(numpy.linalg, name)(x, **options))
    assert shares == [2001]


def test_solutions(shares: list[int]) -> None:
    a, b = stack((600, 16, 16), "f8"), stack((600, 16, 2), "f8")
    with np.config(threads=2):
        same(np.linalg.solve(np.array(a), np.array(b)), numpy.linalg.solve(a, b))
        same(np.linalg.solve(np.array(a), b=np.array(b)), numpy.linalg.solve(a, b))
        assert shares == [600, 600]
        # One for all of them is not cut.
        same(np.linalg.solve(np.array(a), np.array(b[0])), numpy.linalg.solve(a, b[0]))
        assert shares == [600, 600]


def test_what_is_not_shared(shares: list[int]) -> None:
    with np.config(threads=2):
        for x in (stack((20, 3, 3), "f8"), stack((40, 40), "f8"), stack((30, 60, 60), "f8")):
            same(np.linalg.eigh(np.array(x)), numpy.linalg.eigh(x))
        numpy.testing.assert_array_equal(
            np.linalg.svd(stack((2000, 3, 3), "f8"))[1],
            numpy.linalg.svd(stack((2000, 3, 3), "f8"))[1],
        )
    with np.config(threads=1):
        np.linalg.eigh(np.array(stack((2000, 3, 3), "f8")))
    assert shares == []


def test_what_cannot_be_inverted(shares: list[int]) -> None:
    x = stack((600, 16, 16), "f8")
    x[-1] = 0
    with np.config(threads=2), pytest.raises(numpy.linalg.LinAlgError, match="Singular"):
        np.linalg.inv(np.array(x))
    assert shares == [600]


def test_the_first_failure_is_told() -> None:
    def work(cut: slice) -> None:
        raise ValueError(cut.start)

    with np.config(threads=3), pytest.raises(ValueError, match="0"):
        parallelize.share(work, 9)
