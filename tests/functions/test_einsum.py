"""`einsum` as recorded sums of products and products of matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import _core

EXTENTS = dict(zip("abcijklmpqrs", (12, 14, 9, 30, 25, 21, 11, 17, 20, 13, 9, 15), strict=True))
# One operand, two, and several; with and without a result.
NATIVE = """
ij->i ij->j ijk->ki ijk->k ij,ij->i ij,ij-> ij,ij->j ij,jk->ik ij,jk ij,jk->ki
bij,bjk->bik bij,bjk->kbi ij,j->i ij,i->j j,ij->i ij,ij->ji i,j->ij i,j->ji ijk,ijk->ik
ijk,jil->kl ijk,jil->klij ijk,jil->li ijk,l->kil ijk,lm->k i,ij,j-> i,ij,j ij,jk,kl->il
ij,jk,kl,lm->im ij,ij,ij->i ij,ij,ij,ij-> ai,bi,ci->abc ai,bi->ab aij,bij->ab aij,bji->ab
ijkl,kl->ij ijkl,ij->kl pq,rs,pr->qs i,j,k->ijk b,bij->ij
""".split()


@pytest.fixture(autouse=True)
def _always() -> Iterator[None]:
    """No sum of what is pending is small enough for NumPy's loop."""
    with np.config(eager_elements=0):
        yield


def pending(array: Any) -> Any:
    """An array of ours with the same values and layout, which are recorded and not there yet."""
    made = np.empty_like(array)
    made[...] = np.array(array)
    return made


def operands(subscripts: str, dtype: str) -> list[Any]:
    r = numpy.random.default_rng(len(subscripts))
    terms = subscripts.split("->")[0].split(",")
    low = -4 if dtype[0] in "ifc" else 0
    return [r.integers(low, 5, [EXTENTS[label] for label in t]).astype(dtype) for t in terms]


def asked() -> int:
    return int(np.stats()["fallbacks"].get("einsum", {"count": 0})["count"])


@pytest.mark.parametrize("subscripts", NATIVE)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8", "i4", "?"])
def test_sums_of_products(subscripts: str, dtype: str) -> None:
    """Of whole numbers, so that the order of a sum does not show."""
    arrays = operands(subscripts, dtype)
    for optimize, own in itertools.product((False, True, "greedy"), (True, False)):
        given = [pending(a) for a in arrays] if own else arrays
        assert not (own and _core.is_small_einsum(subscripts, *given))
        before = asked()
        found = np.einsum(subscripts, *given, optimize=optimize)
        assert dtype in ("i4", "?", "i8") or asked() == before
        expected = numpy.einsum(subscripts, *arrays, optimize=optimize)
        assert numpy.asarray(found).dtype == expected.dtype
        assert numpy.array_equal(numpy.asarray(found), expected)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij->ji", [(30, 40)]),
        ("ii->i", [(30, 30)]),
        ("ii", [(30, 30)]),
        ("...j,j->...", [(5, 30, 40), (40,)]),
        ("ij,ij->i", [(30, 40), (1, 40)]),
        ("i j , j k -> i k", [(30, 40), (40, 20)]),
        (",ij->ij", [(), (30, 40)]),
        ("ij,jk->ik", [(0, 40), (40, 20)]),
        ("ij,jk->ik", [(30, 0), (0, 20)]),
        ("ij->", [(0, 4)]),
        ("pqrs,qs->pr", [(5, 6, 7, 8), (6, 8)]),
    ],
)
def test_what_is_numpys(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [numpy.arange(float(numpy.prod(s))).reshape(s) for s in shapes]
    expected = numpy.einsum(subscripts, *arrays)
    found = numpy.asarray(np.einsum(subscripts, *[pending(a) for a in arrays]))
    assert found.shape == expected.shape
    assert numpy.allclose(found, expected)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(30, 40), (41, 20)]),
        ("ij,jk->iz", [(30, 40), (40, 20)]),
        ("ij,jk->ii", [(30, 40), (40, 20)]),
        ("ijk", [(30, 40)]),
        ("ij,jk", [(30, 40)]),
        ("i->j->k", [(30,)]),
        ("1j", [(30, 40)]),
    ],
)
def test_errors_are_numpys(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [numpy.ones(s) for s in shapes]
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        numpy.einsum(subscripts, *arrays)
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        np.einsum(subscripts, *[pending(a) for a in arrays])
    assert str(ours.value) == str(theirs.value)


def test_keywords_and_outputs() -> None:
    a, b = numpy.arange(1200.0).reshape(30, 40), numpy.arange(800.0).reshape(40, 20)
    x, y = pending(a), pending(b)
    out = np.zeros((30, 20))
    assert np.einsum("ij,jk->ik", x, y, out=out) is out
    assert numpy.array_equal(numpy.asarray(out), a @ b)
    singles = np.einsum("ij,jk->ik", x, y, dtype="f4", casting="unsafe")
    assert numpy.asarray(singles).dtype == "f4"
    by_axes = np.einsum(x, [0, 1], y, [1, 2], [0, 2])
    assert numpy.array_equal(numpy.asarray(by_axes), a @ b)
    path = ["einsum_path", (0, 1)]
    assert numpy.array_equal(numpy.asarray(np.einsum("ij,jk", x, y, optimize=path)), a @ b)


def test_nothing_is_told_of_overflow() -> None:
    huge = np.full((200, 200), 1e300)
    with numpy.errstate(all="raise"):
        assert numpy.isinf(numpy.asarray(np.einsum("ij,ij->i", huge, huge))).all()


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("subscripts", NATIVE)
def test_order_in_memory(subscripts: str, optimize: bool) -> None:
    terms = subscripts.partition("->")[0].split(",")
    shapes = [[EXTENTS[label] for label in term] for term in terms]
    plain = [numpy.ones(shape) for shape in shapes]
    turned = [numpy.ones(shape[::-1]).T for shape in shapes]
    repeated = [numpy.broadcast_to(numpy.ones(shape[1:]), shape) for shape in shapes]
    for arrays in (plain, turned, [turned[0], *plain[1:]], [plain[0], *repeated[1:]]):
        wanted = numpy.einsum(subscripts, *arrays, optimize=optimize)
        ours = [pending(a) if a.strides[0] else np.broadcast_to(a[:1], a.shape) for a in arrays]
        found = np.einsum(subscripts, *ours, optimize=optimize)
        assert found.shape == wanted.shape
        long = [k for k in range(wanted.ndim) if wanted.shape[k] > 1]
        assert [found.strides[k] for k in long] == [wanted.strides[k] for k in long]


def test_a_flat_view_writes_to_the_product() -> None:
    c = np.einsum("ij,jk->ik", np.ones((30, 40)), np.ones((40, 50)))
    c.reshape(-1)[0] = 99
    assert float(c[0, 0]) == 99
