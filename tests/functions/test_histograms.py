"""Histograms: NumPy's counts to the last element, and its edges."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium as np
from array_pairs import agree

ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"bins": 1},
    {"bins": 50},
    {"bins": 50, "range": (-2, 2)},
    {"bins": 33, "range": (0.1, 2.7)},
    {"bins": 7, "range": (3, 3)},
    {"bins": 1000, "range": (-1e3, 1e3)},
    {"bins": numpy.int64(12), "range": (numpy.float32(-1.1), numpy.float64(5))},
    {"bins": 10, "range": (-5, 300), "density": True},
    {"bins": 20, "density": True},
    {"bins": [-3, -1, 0, 0.5, 9]},
    {"bins": "sturges"},
    {"bins": 0},
    {"bins": 2.5},
    {"bins": 10, "range": (3, 1)},
    {"bins": 10, "range": (0, numpy.inf)},
    {"bins": 10, "range": (numpy.nan, 1)},
    {"bins": 10, "range": (-1e308, 1e308)},
    {"bins": 10, "range": (0, 5e-324)},
    {"bins": 10, "range": (1, 1 + 1e-16)},
    {"bins": 10, "range": (0,)},
]


def outcome(xp: Any, x: Any, arguments: dict[str, Any]) -> Any:
    try:
        with numpy.errstate(all="ignore"):
            counts, edges = xp.histogram(x, **arguments)
            return numpy.asarray(counts), numpy.asarray(edges)
    except Exception as error:
        return type(error)


def compare(x: Any, arguments: dict[str, Any], exact: bool = True) -> None:
    expected, own = outcome(numpy, x, arguments), {**arguments}
    if isinstance(arguments.get("weights"), numpy.ndarray):
        own["weights"] = np.array(arguments["weights"])
    found = outcome(np, np.array(x), own)
    if isinstance(expected, type):
        assert isinstance(found, type), arguments
        assert issubclass(found, expected)
        return
    assert not isinstance(found, type), arguments
    for ours, wanted in zip(found, expected, strict=True):
        assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape), arguments
    numpy.testing.assert_array_equal(found[1], expected[1])
    if exact:
        numpy.testing.assert_array_equal(found[0], expected[0], err_msg=str(arguments))
    else:
        numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i1", "u1", "i4", "i8", "u8", "?", "c16"])
@pytest.mark.filterwarnings("ignore:Converting input from bool")
def test_counts(dtype: str) -> None:
    draw = numpy.random.default_rng(2)
    for shape in ((), (1,), (0,), (1000,), (3, 400), (70_000,)):
        x = numpy.asarray(
            draw.normal(size=shape) * 40 if dtype[0] in "iu" else draw.normal(size=shape)
        )
        x = (abs(x) if dtype[0] == "u" else x).astype(dtype)
        for arguments in ARGUMENTS:
            compare(x, arguments)
            compare(x.T[..., ::-2] if x.ndim else x, arguments)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_elements_at_and_beside_edges(dtype: str) -> None:
    """Where the quotient rounds to the wrong side NumPy moves it, and so must we."""
    draw = numpy.random.default_rng(3)
    for bins in (1, 3, 7, 10, 49, 333, 1000):
        for first, last in ((0, 1), (-0.3, 0.7), (1e-3, 1e3), (-7, 12), (100, 101), (0.1, 0.3)):
            edges = numpy.histogram(numpy.zeros(1, dtype), bins, (first, last))[1].astype(dtype)
            beside = [numpy.nextafter(edges, edges.dtype.type(s * 1e30)) for s in (-1, 1)]
            inside = draw.uniform(first, last, 500).astype(dtype)
            x = numpy.concatenate((edges, *beside, inside, [numpy.nan, numpy.inf, -numpy.inf]))
            compare(x.astype(dtype), {"bins": bins, "range": (first, last)})
            compare(x[:-3].astype(dtype), {"bins": bins})


def test_integers_far_apart() -> None:
    for dtype in ("i1", "i2", "i4", "i8", "u8"):
        limits = numpy.iinfo(dtype)
        x = numpy.array([limits.min, 0, 1, 7, limits.max // 2, limits.max], dtype)
        for bins in (1, 2, 7, 255):
            compare(x, {"bins": bins})


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "?", "c16"])
def test_weights(dtype: str) -> None:
    draw = numpy.random.default_rng(4)
    for shape in ((5,), (30, 40), (200_000,)):
        x, w = draw.normal(size=shape), (draw.random(shape) * 3).astype(dtype)
        for arguments in (
            {},
            {"bins": 30, "range": (-1, 1)},
            {"density": True},
            {"bins": [0, 1, 2]},
        ):
            compare(x, {**arguments, "weights": w}, exact=False)
    compare(numpy.ones(3), {"weights": numpy.ones(4, dtype)})


def test_bins_are_found_in_one_block() -> None:
    x = np.arange(100_000.0)
    np.flush()
    np.reset_stats()
    counts, edges = np.histogram(np.sin(x), 20, (-1, 1))
    assert int(counts.sum()) == 100_000
    assert edges.shape == (21,)
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= 20


def points(dtype: str, n: int, seed: int = 5) -> Any:
    return (numpy.random.default_rng(seed).normal(size=(n, 2)) * 3).astype(dtype)


EDGES = numpy.array([-4.0, -1.0, 0.0, 0.0, 2.5])
GRIDS: dict[str, dict[str, Any]] = {
    "one number": {"bins": 7},
    "two numbers": {"bins": [3, 12]},
    "edges": {"bins": [EDGES, EDGES[1:]]},
    "edges and a number": {"bins": (EDGES, 4)},
    "range": {"bins": 5, "range": [(-1, 2), None]},
    "density": {"bins": [6, EDGES], "density": True},
    "no width": {"bins": 2, "range": [(1, 1), (0, 3)]},
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3000])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2"])
@pytest.mark.parametrize("grid", GRIDS)
def test_histograms_over_several_axes(grid: str, dtype: str, n: int, weighted: bool) -> None:
    """Whole weights, whose sums are exact in any order."""
    xy = points(dtype, n)
    options = dict(GRIDS[grid])
    ours = dict(options)
    if weighted:
        w = numpy.arange(n) % 5
        options["weights"], ours["weights"] = w, np.array(w)
    with numpy.errstate(all="ignore"):
        for m, given, held in ((numpy, options, xy), (np, ours, np.array(xy))):
            flat = m.histogram2d(held[:, 0], held[:, 1], **given)
            cube = m.histogramdd(held, **given)
            found = [flat[0], *flat[1:], cube[0], *cube[1]]
            arrays = [numpy.array(part) for part in found]
            if m is numpy:
                wanted = arrays
    for theirs, mine in zip(wanted, arrays, strict=True):
        assert theirs.dtype == mine.dtype
        numpy.testing.assert_allclose(mine, theirs, rtol=1e-13)


def test_edges_for_both_axes_and_pairs_of_dtypes() -> None:
    x, y = points("f4", 500)[:, 0], points("i4", 500, 6)[:, 1]
    found = np.histogram2d(np.array(x), np.array(y), EDGES)
    wanted = numpy.histogram2d(x, y, EDGES)
    for mine, theirs in zip(found, wanted, strict=True):
        numpy.testing.assert_array_equal(numpy.array(mine), theirs)


@pytest.mark.parametrize(
    "options",
    [
        {"bins": 0},
        {"bins": [3]},
        {"bins": [EDGES[::-1], 3]},
        {"bins": 2.5},
        {"bins": 3, "range": [(0, 1)]},
        {"bins": 3, "range": [(2, 1), None]},
    ],
    ids=str,
)
def test_what_histogram2d_refuses(options: dict[str, Any]) -> None:
    xy = points("f8", 50)
    with pytest.raises((ValueError, TypeError)) as theirs:
        numpy.histogram2d(xy[:, 0], xy[:, 1], **options)
    with pytest.raises(theirs.type):
        np.histogram2d(np.array(xy[:, 0]), np.array(xy[:, 1]), **options)
    with pytest.raises(ValueError, match="not finite"):
        np.histogramdd(np.array([[1.0, numpy.nan]]))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_counts_of_integers(dtype: str, threads: int) -> None:
    r = numpy.random.default_rng(11)
    for n, most in [(2000, 3), (5001, 100), (200_003, 120), (200_000, 127), (3000, 1)]:
        x = r.integers(0, most, n).astype(dtype)
        whole = np.array(x)
        for cut in (numpy.s_[:], numpy.s_[::-1], numpy.s_[1:2000]):
            for minlength in (0, 5, 300):
                with np.config(threads=threads):
                    found = np.bincount(whole[cut], minlength=minlength)
                wanted = numpy.bincount(x[cut], minlength=minlength)
                assert found.dtype == wanted.dtype
                numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("most", [2047, 2049, 65_536, 65_537, 300_000, 5_000_000])
def test_counts_in_many_bins(most: int) -> None:
    x = numpy.random.default_rng(12).integers(0, most, 150_000)
    x[77] = most - 1
    np.reset_stats()
    found = np.bincount(np.array(x))
    numpy.testing.assert_array_equal(numpy.asarray(found), numpy.bincount(x))
    assert ("bincount" in np.stats()["fallbacks"]) == (most > 1 << 22)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "?"])
def test_sums_of_weights(dtype: str, threads: int) -> None:
    r = numpy.random.default_rng(13)
    for n, most, minlength in [(1, 3, 0), (5001, 100, 300), (200_003, 4000, 0)]:
        x, w = r.integers(0, most, n), (r.normal(size=n) * 9).astype(dtype)
        for numbers in (x, x.astype("i4"), x[::-1]):
            np.reset_stats()
            with np.config(threads=threads, eager_elements=0):
                found = np.bincount(np.array(numbers), np.array(w) * 1, minlength)
            wanted = numpy.bincount(numbers, w, minlength)
            assert found.dtype == wanted.dtype
            numpy.testing.assert_array_equal(numpy.asarray(found), wanted)
            assert not np.stats()["fallbacks"]
    for weights in (np.ones(3), np.ones(4, complex), np.array("text")):
        with pytest.raises((ValueError, TypeError)) as expected:
            numpy.bincount(numpy.arange(4), numpy.asarray(weights))
        with pytest.raises(expected.type):
            np.bincount(np.arange(4), weights)


def test_what_is_no_number_of_a_bin() -> None:
    for threads in (1, 2, 3):
        x = np.arange(100_000) % 50
        x[99_999] = -1
        with np.config(threads=threads), pytest.raises(ValueError, match="negative"):
            np.bincount(x)
    with pytest.raises(TypeError):
        np.bincount(x * 1.0)
    agree(lambda: numpy.bincount(numpy.ones(3, "u8")), lambda: np.bincount(np.ones(3, "u8")))
    with pytest.raises(ValueError, match="minlength"):
        np.bincount(abs(x), minlength=-1)
    with pytest.raises(ValueError, match="object"):
        np.bincount(abs(x).reshape(2, -1))
    numpy.testing.assert_array_equal(
        np.bincount(abs(x), weights=np.ones(100_000) * 0.5),
        numpy.bincount(numpy.asarray(abs(x)), weights=numpy.ones(100_000) * 0.5),
    )
    assert np.bincount(abs(x), None, 60).size == 60


def test_more_cells_than_there_are_numbers() -> None:
    for m in (numpy, np):
        with pytest.raises(ValueError, match="dim"):
            m.histogramdd(m.ones((1, 10)), bins=2**10)
