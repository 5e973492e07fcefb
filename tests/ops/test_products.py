"""Products of vectors and matrices: NumPy's bits, at the call where operands are few and ready."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np

DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
LIES: dict[str, Any] = {
    "whole": lambda a: a[:100],
    "second": lambda a: a[:200:2],
    "backward": lambda a: a[99::-1],
    "single": lambda a: a[:1],
    "none": lambda a: a[:0],
    "odd bytes": lambda a: a.view("u1")[1 : 1 + 50 * a.itemsize].view(a.dtype),
}
SHAPES = [
    ((7,), (7,)),
    ((5, 7), (7,)),
    ((7,), (5, 7)),
    ((5, 7), (4, 7)),
    ((3, 5, 7), (7,)),
    ((3, 5, 7), (4, 7)),
    ((5, 7), (3, 4, 7)),
    ((7, 1), (7, 1)),
    ((0, 7), (4, 7)),
    ((5, 0), (4, 0)),
    ((), (5,)),
]


def values(dtype: str, n: int = 400) -> numpy.ndarray[Any, Any]:
    r = numpy.random.default_rng(3)
    made = r.integers(0, 2 if dtype == "?" else 9, n).astype(dtype)
    return made + made[::-1] * numpy.array(0.5j, dtype) if dtype[0] == "c" else made


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_have_numpys_bits(dtype: str, lie: str) -> None:
    a, b = values(dtype), values(dtype)[::-1].copy()
    if lie == "odd bytes" and dtype == "?":
        pytest.skip("bytes lie nowhere oddly")
    wanted = LIES[lie](a) @ LIES[lie](b)
    x, y = np.array(a), np.array(b)
    np.flush()
    for found in (LIES[lie](x) @ LIES[lie](y), LIES[lie](np.maximum(x, x)) @ LIES[lie](y)):
        assert found.dtype == wanted.dtype
        assert found == wanted or (found != found and wanted != wanted)


MATRICES: dict[str, Any] = {
    "whole": lambda a: a[:36].reshape(6, 6),
    "rows": lambda a: a[:96].reshape(6, 16)[:, :6],
    "columns": lambda a: a[:96].reshape(16, 6)[::2][:6],
    "second": lambda a: a[:144].reshape(6, 24)[:, ::2][:, :6],
    "backward": lambda a: a[35::-1].reshape(6, 6),
    "transposed": lambda a: a[:36].reshape(6, 6).T,
    "one row": lambda a: (numpy if type(a) is numpy.ndarray else np).broadcast_to(a[:6], (6, 6)),
    "odd bytes": lambda a: a.view("u1")[1 : 1 + 36 * a.itemsize].view(a.dtype).reshape(6, 6),
}


@pytest.mark.parametrize("right", MATRICES)
@pytest.mark.parametrize("left", MATRICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_have_numpys_bits(dtype: str, left: str, right: str) -> None:
    a, b = values(dtype), values(dtype)[::-1].copy()
    for rows, columns in ((6, 6), (1, 6), (3, 1), (6, 0), (0, 6)):
        p, q = MATRICES[left](a)[:rows], MATRICES[right](b)[:, :columns]
        x, y = MATRICES[left](np.array(a))[:rows], MATRICES[right](np.array(b))[:, :columns]
        wanted = p @ q
        np.flush()
        for found in (x @ y, np.maximum(x, x) @ y):
            assert found.dtype == wanted.dtype
            numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("lie", MATRICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_have_numpys_bits(dtype: str, lie: str) -> None:
    a, b = values(dtype), values(dtype)[::-1].copy()
    if dtype[0] in "fc":
        a[[0, 7]] = numpy.inf, numpy.nan
    for rows, columns in ((6, 6), (1, 6), (6, 1), (1, 1)):
        p, q = MATRICES[lie](a)[:rows, :columns], MATRICES[lie](b)[:rows, :columns]
        x = MATRICES[lie](np.array(a))[:rows, :columns]
        y = MATRICES[lie](np.array(b))[:rows, :columns]
        np.flush()
        calls = [
            lambda m, s, t: m.vecdot(s, t),
            lambda m, s, t: m.vecdot(s[:1].reshape(-1), t[:1].reshape(-1)),
            lambda m, s, t: m.matvec(s, t[:1].reshape(-1)),
            lambda m, s, t: m.vecmat(t[:, :1].reshape(-1), s),
        ]
        for call in calls:
            with numpy.errstate(invalid="ignore"):
                wanted, found = call(numpy, p, q), call(np, x, y)
            assert found.dtype == wanted.dtype
            assert found.shape == wanted.shape
            assert numpy.asarray(found).tobytes() == numpy.asarray(wanted).tobytes()


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_with_vectors_have_numpys_bits(dtype: str, matrix: str, lie: str) -> None:
    a, b = values(dtype), values(dtype)[::-1].copy()
    if lie == "odd bytes" and dtype == "?":
        pytest.skip("bytes lie nowhere oddly")
    for rows, columns in ((6, 6), (1, 6), (6, 1), (0, 6), (6, 0)):
        p, x = (MATRICES[matrix](whole)[:rows, :columns] for whole in (a, np.array(a)))
        v, y = (LIES[lie](whole) for whole in (b, np.array(b)))
        if v.size > 1:
            v, y = (vector[:columns] for vector in (v, y))
        np.flush()
        for product in (lambda m, w: m @ w, lambda m, w: w @ m.T):
            if v.size != columns:
                with pytest.raises(ValueError, match="mismatch in its core dimension"):
                    product(x, y)
                continue
            wanted = product(p, v)
            for found in (product(x, y), product(np.maximum(x, x), y)):
                assert found.dtype == wanted.dtype
                numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinities_in_axes_of_one_element(dtype: str) -> None:
    r = numpy.random.default_rng(6)
    for rows, inner, columns in itertools.product((1, 2, 3), repeat=3):
        a, b = r.normal(size=(2, 3, 3)).astype(dtype)
        a.flat[r.integers(9, size=3)] = numpy.inf
        if dtype[0] == "c":
            b.imag.flat[r.integers(9)] = numpy.nan
        for left in (a[:rows, :inner], a[0, :inner], a.T[:rows, :inner]):
            for right in (b[:inner, :columns], b[:inner, 0], b[::2][:inner, :columns]):
                if left.shape[-1] == right.shape[0]:
                    x, y = left.copy(), right.copy()
                    wanted, found = x @ y, np.array(x) @ np.array(y)
                    numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize(
    ("left", "right"),
    [((2, 3), (2,)), ((2,), (3,)), ((4,), (3, 5)), ((2, 3), (2, 3)), ((2, 3), (4, 2, 3))],
)
def test_dot_says_what_does_not_fit(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    said = []
    for m in (numpy, np):
        for call in (m.dot, lambda a, b: a.dot(b)):
            with pytest.raises(ValueError, match="not aligned") as caught:
                call(m.ones(left), m.ones(right))
            said.append(str(caught.value))
    assert len(set(said)) == 1


def test_a_product_into_what_it_reads() -> None:
    r = numpy.random.default_rng(5)
    for make in (lambda m: (m[:4, :4], m[:4, :4]), lambda m: (m[1:5, :4], m[:4, 1:5])):
        theirs = r.integers(-9, 9, (6, 6)) * 0.5
        ours = np.array(theirs)
        for n, m in ((numpy, theirs), (np, ours)):
            out, factor = make(m)
            n.matmul(out, factor, out=out)
            n.matmul(factor, factor.T, out=out)
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize(("left", "right"), [("f4", "f8"), ("i4", "f8"), ("f8", "c8"), ("?", "i8")])
def test_vectors_of_two_dtypes(left: str, right: str) -> None:
    a, b = values(left), values(right)
    found = np.array(a) @ np.array(b)
    assert found.dtype == (a @ b).dtype
    assert found == a @ b


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_inner_products(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    r = numpy.random.default_rng(4)
    a, b = r.integers(-9, 9, left) * 0.5, r.integers(-9, 9, right) * 0.5
    found, wanted = np.inner(np.array(a), np.array(b)), numpy.inner(a, b)
    assert numpy.shape(found) == wanted.shape
    assert (numpy.asarray(found) == wanted).all()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("lie", ["backward", "in one place", "both backward"])
def test_arrays_that_lie_backward_are_multiplied_by_blas(dtype: str, lie: str) -> None:
    r = numpy.random.default_rng(6)
    a, b, c = r.random(2000).astype(dtype), r.random(2000).astype(dtype), r.random((9, 2000))

    def products(m: Any) -> list[Any]:
        x, y, rows = m.array(a), m.array(b), m.array(c.astype(dtype))
        x = m.broadcast_to(x[3], x.shape) if lie == "in one place" else x[::-1]
        y = y[::-1] if lie == "both backward" else y
        scalar, nine = m.zeros((), dtype), m.zeros(9, dtype)
        return [
            m.inner(x, y),
            m.inner(y, x),
            m.inner(rows, x),
            m.dot(x, y, out=scalar),
            m.dot(rows, x, out=nine),
            m.dot(x, rows.T, out=nine.copy()),
            m.dot(rows[:, ::-1], x, out=nine.copy()),
            m.inner(rows[::-1], x),
            m.tensordot(x, y, 1),
            m.dot(x, y),
            m.dot(y, x),
            m.dot(rows[:, ::-1], x),
            x.dot(rows.T),
        ]

    for found, wanted in zip(products(np), products(numpy), strict=True):
        assert found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


def test_a_small_product_runs_at_the_call() -> None:
    x, m = np.ones(500), np.ones((20, 30))
    np.flush()
    np.reset_stats()
    assert float(x @ x) == 500.0
    assert (m @ m.T).sum() == 20 * 20 * 30
    assert np.inner(m, m[0]).shape == (20,)
    assert (m @ m[0]).shape == (20,)
    assert np.stats()["eager_instructions"] >= 4


def test_a_product_waits_for_what_it_reads() -> None:
    x = np.ones(500)
    np.flush()
    y = x * 3.0
    total = x @ y
    y *= 2.0
    assert float(total) == 1500.0
    assert float(x @ y) == 3000.0


@pytest.mark.parametrize("value", [1e308, numpy.inf, numpy.nan])
def test_conditions_are_numpys(value: float) -> None:
    a, b = numpy.array([value, value]), numpy.array([10.0, -10.0])

    def warned(x: Any, y: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            float(x @ y)
        return [str(w.message) for w in seen]

    assert warned(np.array(a), np.array(b)) == warned(a, b)

    def warned_of_matrices(x: Any, y: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            float((x[None] @ y[:, None])[0, 0])
        return [str(w.message) for w in seen]

    assert warned_of_matrices(np.array(a), np.array(b)) == warned_of_matrices(a, b)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (1, 1), (1, 3), (2, 3), (2, 2, 2)])
def test_zeros_of_a_product_with_a_number(dtype: str, shape: tuple[int, ...]) -> None:
    def signs(m: Any, left: bool, into: bool) -> Any:
        array, number = m.full(shape, -0.0, dtype), m.full((), 5, dtype)
        pair = (number, array) if left else (array, number)
        found = m.dot(*pair, out=m.ones(shape, dtype) if into else None)
        return found.dtype, numpy.signbit(numpy.asarray(found).real).tolist()

    for left in (False, True):
        for into in (False, True):
            assert signs(np, left, into) == signs(numpy, left, into)


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [("u1", "i8"), ("?", "i8"), ("f4", "f8"), ("i8", "f8"), ("i8", "c8"), ("i4", "f4")],
)
def test_operands_become_the_dtype_asked_for_first(name: str, dtype: str, wanted: str) -> None:
    """Products of narrow numbers would overflow before they were widened."""
    largest = {"u1": 200, "?": 1, "f4": 1e30, "i8": 2**40, "i4": 2**20}[dtype]
    shapes = {"vecdot": ((4,), (4,)), "matvec": ((3, 4), (4,)), "vecmat": ((4,), (4, 3))}
    a, b = (numpy.full(s, largest, dtype) for s in shapes.get(name, ((3, 4), (4, 2))))
    for how in ({"dtype": wanted}, {"signature": (wanted,) * 3}):
        found = getattr(np, name)(np.array(a), np.array(b), **how)
        expected = getattr(numpy, name)(a, b, **how)
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(found, expected)


def test_products_refuse_casts_that_are_not_allowed_and_lie_as_asked() -> None:
    whole, real = np.ones((2, 2), int), np.ones((2, 2))
    with pytest.raises(TypeError, match="cast"):
        np.matmul(real, whole, casting="no")
    found = np.matmul(np.ones((2, 2, 3)), np.ones((3, 2)), order="F")
    expected = numpy.matmul(numpy.ones((2, 2, 3)), numpy.ones((3, 2)), order="F")
    assert found.strides == expected.strides


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_vdot_of_unequal_lengths_is_refused_as_by_numpy(dtype: str) -> None:
    errors = []
    for library in (numpy, np):
        with pytest.raises(ValueError, match="cannot reshape") as refused:
            library.vdot(library.ones(3, dtype), library.ones((2, 2), dtype))
        errors.append(str(refused.value))
    assert errors[0] == errors[1]
