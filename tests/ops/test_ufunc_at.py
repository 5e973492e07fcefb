"""ufunc.at on rows and by several indices: NumPy's bits, and its order for a row named twice."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import hassium as np

OPS = ["add", "subtract", "multiply", "maximum", "minimum", "fmax", "true_divide", "bitwise_or"]
DTYPES = ["i1", "u2", "i4", "i8", "u8", "f4", "f8", "c8", "c16", "?", "f2"]
N = 50


def draw(shape: tuple[int, ...], dtype: str) -> Any:
    r = numpy.random.default_rng(len(shape))
    x = r.normal(size=shape) * 30
    if dtype[0] == "c":
        return (x + 1j * x[::-1]).astype(dtype)
    if dtype[0] != "f":
        return x.astype("i8").astype(dtype)
    x[r.random(shape) < 0.05] = numpy.nan
    return x.astype(dtype)


def indices(kind: str, rows: int, columns: int) -> Any:
    r = numpy.random.default_rng(7)
    i, j = r.integers(-rows, rows, N), r.integers(-columns, columns, N)
    return {
        "rows": i,
        "short": i.astype("i2"),
        "list": i.tolist(),
        "two axes": i.reshape(5, 10),
        "pair": (i, j),
        "number first": (3, j),
        "number last": (i, -1),
        "of one axis": (i,),
        "unsigned": (abs(i) % rows).astype("u8"),
    }[kind]


def answers() -> int:
    return sum(c["count"] for name, c in np.stats()["fallbacks"].items() if name.endswith(".at"))


def both(op: str, target: Any, index: Any, values: Any) -> None:
    ours = np.array(target)
    own_index = tuple(map(np.asarray, index)) if type(index) is tuple else index
    own = np.array(values) if isinstance(values, numpy.ndarray) else values
    theirs = target.copy()
    failure: type[BaseException] | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            getattr(numpy, op).at(theirs, index, values)
        except Exception as e:
            failure = type(e)
        if failure is None:
            assert getattr(np, op).at(ours, own_index, own) is None
        else:
            with pytest.raises(failure):
                getattr(np, op).at(ours, own_index, own)
    if target.dtype.kind == "c" and op in ("multiply", "true_divide"):  # these round otherwise
        tolerance = 1e-3 if target.dtype == "c8" else 1e-12
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=tolerance)
    else:
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize(
    "kind",
    ["rows", "short", "list", "two axes", "pair", "number first", "number last", "of one axis"]
    + ["unsigned"],
)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_rows_are_combined_in_order(op: str, dtype: str, kind: str) -> None:
    for columns in (1, 3, 40):
        target = draw((20, columns), dtype)
        index = indices(kind, 20, columns)
        chosen = target[index]
        both(op, target, index, draw(chosen.shape, dtype))
        both(op, target, index, draw(chosen.shape[-1:], dtype))
        if chosen.ndim > 1:
            both(op, target, index, draw((*chosen.shape[:-1], 1), dtype))
        both(op, target, index, 2)
        both(op, target, index, 1.5)
        both(op, target, index, draw(chosen.shape, "i2"))
        both(op, target, index, draw(chosen.shape, "f8"))


@pytest.mark.parametrize("kind", ["rows", "short", "list", "two axes", "of one axis", "unsigned"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_elements_of_vectors(op: str, dtype: str, kind: str) -> None:
    target, index = draw((20,), dtype), indices(kind, 20, 1)
    both(op, target, index, draw(target[index].shape, dtype))
    both(op, target, index, draw(target[index].shape, "i2"))
    both(op, target, index, 2)
    mask = numpy.arange(20) % 3 == 0
    both(op, target, mask, draw((7,), dtype))
    both(op, target, numpy.zeros(0, int), draw((0,), dtype))
    both(op, target, index, draw((3,), dtype))  # has another shape


@pytest.mark.parametrize(
    ("size", "settings"),
    [(40, {"executor": "reference"}), (40, {}), (300_000, {}), (300_000, {"threads": 1})],
    ids=str,
)
def test_pending_values_and_targets(size: int, settings: dict[str, Any]) -> None:
    r = numpy.random.default_rng(1)
    x, i = r.normal(size=size), r.integers(0, size, size)
    with np.config(eager_elements=0, **settings):
        own, at = np.array(x), np.array(i)
        ours = own * 2.0
        np.add.at(ours, at, (1 - own) * 0.5)
        np.subtract.at(ours[::-1], at[::2], own[::2])
        total = ours + 1.0
    theirs = x * 2.0
    numpy.add.at(theirs, i, (1 - x) * 0.5)
    numpy.subtract.at(theirs[::-1], i[::2], x[::2])
    numpy.testing.assert_array_equal(numpy.asarray(total), theirs + 1.0)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_long_rows_are_shared_by_columns(threads: int) -> None:
    target, values = draw((10, 5000), "f8"), draw((N, 5000), "f8")
    index = indices("rows", 10, 1)
    ours = np.array(target)
    np.reset_stats()
    with np.config(threads=threads):
        np.subtract.at(ours, index, np.array(values))
    assert answers() == 0
    numpy.subtract.at(target, index, values)
    numpy.testing.assert_array_equal(numpy.asarray(ours), target)


def test_views_that_lie_apart() -> None:
    whole = draw((20, 6, 5), "f8")
    cuts: list[Any] = [numpy.s_[::2], numpy.s_[::-1], numpy.s_[:, ::2], numpy.s_[:, :, ::2]]
    for cut, columns in itertools.product(cuts, (slice(None), slice(0, 1))):
        ours, theirs = np.array(whole), whole.copy()
        index = indices("rows", 10, 1)
        values = draw((N, *theirs[cut][:, columns].shape[1:]), "f8")
        np.add.at(ours[cut][:, columns], index, np.array(values))
        numpy.add.at(theirs[cut][:, columns], index, values)
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_values_that_are_overwritten_are_read_before() -> None:
    for lent in (False, True):
        ours, theirs = np.arange(60.0).reshape(20, 3), numpy.arange(60.0).reshape(20, 3)
        index = (numpy.arange(20) * 7) % 20
        values = numpy.asarray(ours)[::-1] if lent else ours[::-1]
        np.add.at(ours, index, values)
        numpy.add.at(theirs, index, theirs[::-1])
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_what_waits_is_done_before() -> None:
    with np.config(eager_elements=0):
        a = np.zeros((30, 3)) + 1.0
        np.add.at(a, np.arange(30) % 4, np.ones((30, 3)) * 2.0)
        b = a * 2.0
        np.add.at(a, np.arange(30), 1.0)
    model = numpy.ones((30, 3))
    numpy.add.at(model, numpy.arange(30) % 4, 2.0)
    numpy.testing.assert_array_equal(numpy.asarray(b), model * 2.0)
    numpy.testing.assert_array_equal(numpy.asarray(a), model + 1.0)


def test_nothing_is_done_where_an_index_is_beyond() -> None:
    a = np.zeros((5, 3))
    for index in ([0, 1, 2, 3, 4, 0, 1, 2, 5], [0, 1, 2, 3, 4, 0, 1, 2, -6]):
        with pytest.raises(IndexError, match="out of bounds"):
            np.add.at(a, index, 1.0)
    with pytest.raises(IndexError):
        np.add.at(a, ([0] * 9, [0] * 9, [0] * 9), 1.0)
    assert not a.any()
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.add.at(a, [0] * 9, 1.0)


def test_conditions() -> None:
    a = np.full((4, 3), 1e308)
    with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
        np.add.at(a, [1] * 9, 1e308)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="add"):
        np.add.at(np.full((4, 3), 1e308), [1] * 9, 1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.add.at(a, [2] * 9, 1.0)


def test_no_answer_of_numpys_is_needed() -> None:
    np.reset_stats()
    a, grid = np.zeros((9, 3)), np.zeros((9, 9), "i4")
    np.add.at(a, np.arange(60) % 9, np.ones((60, 3)))
    np.maximum.at(grid, (np.arange(60) % 9, np.arange(60) % 7), np.ones(60, "i4"))
    assert answers() == 0
    np.add.at(np.zeros(9), np.arange(60) % 9, 1.0)
    np.add.at(np.zeros(9), np.arange(9) % 2 == 0, np.arange(5.0))
    assert answers() == 0
