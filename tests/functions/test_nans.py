"""Reductions that leave nan out: NumPy's values, dtypes, warnings and errors, and no fallback."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium as np

REDUCTIONS = ["nanmean", "nansum", "nanprod", "nanmin", "nanmax", "nanvar", "nanstd"]
SHAPES: list[tuple[int, ...]] = [(), (1,), (7,), (0,), (3, 5), (4, 0), (2, 3, 4), (300, 41)]
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 1)},
    {"axis": ()},
    {"axis": 9},
    {"keepdims": True},
    {"dtype": "f4"},
    {"dtype": "i8"},
    {"dtype": "c16", "axis": 0},
    {"ddof": 1},
    {"ddof": 2.5, "axis": 0},
    {"correction": 1, "axis": -1},
    {"initial": 3.0},
    {"where": True},
    {"where": numpy.array([True])},
    {"axis": 0, "where": False, "initial": 2},
]
KINDS = {"f": ("none", "some", "all", "infinite"), "c": ("none", "some", "all"), "i": ("none",)}
TAKEN = {
    "nanmean": {"dtype", "where"},
    "nansum": {"dtype", "where", "initial"},
    "nanprod": {"dtype", "where", "initial"},
    "nanmin": {"where", "initial"},
    "nanmax": {"where", "initial"},
    "nanvar": {"dtype", "where", "ddof", "correction"},
    "nanstd": {"dtype", "where", "ddof", "correction"},
}


def values(shape: tuple[int, ...], dtype: str, missing: str) -> Any:
    draw = numpy.random.default_rng(5)
    x = numpy.asarray(draw.normal(size=shape) * 2 + 3)
    if dtype[0] not in "fc":
        return x.astype(dtype)
    if missing == "all":
        x[...] = numpy.nan
    elif missing == "some" and x.ndim:
        x[..., ::3] = numpy.nan
        x[:1] = numpy.nan
    elif missing == "infinite" and x.size > 1:
        x.reshape(-1)[1] = numpy.inf
    x = x if dtype[0] == "f" else x + 1j * draw.normal(size=shape)
    return numpy.asarray(x).astype(dtype)


def outcome(xp: Any, x: Any, name: str, arguments: dict[str, Any]) -> Any:
    """The result and what was warned of; or the type of the error."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            found = getattr(xp, name)(x, **arguments)
            found = numpy.asarray(found)
        except Exception as error:
            return type(error)
    return found, {str(w.message) for w in caught if w.category is RuntimeWarning}


def compare(x: Any, name: str, arguments: dict[str, Any], own: Any) -> None:
    expected, found = outcome(numpy, x, name, arguments), outcome(np, own, name, arguments)
    told = f"{name} {arguments} {getattr(x, 'dtype', x)} {getattr(x, 'shape', '')}"
    if isinstance(expected, type):
        assert isinstance(found, type), told
        assert issubclass(found, expected), told
        return
    assert not isinstance(found, type), f"{told}: {found}"
    (wanted, warned), (ours, our_warned) = expected, found
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape), told
    assert our_warned == warned, told
    # NumPy adds float16 in float16.
    size = wanted.real.itemsize if wanted.dtype.kind == "c" else wanted.itemsize
    close = {2: 3e-2, 4: 2e-5}.get(size, 1e-12)
    if name.startswith("nanarg"):
        close = 0
    if {"float32", "complex64"} & {str(x.dtype), str(wanted.dtype)}:
        close = max(close, 2e-5)
    if x.dtype == numpy.float16:
        close = 3e-2
    least = 1e-5 if close > 1e-12 else 1e-13
    numpy.testing.assert_allclose(ours, wanted, rtol=close, atol=least, err_msg=told)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "c8", "i4", "u1", "?"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, dtype: str) -> None:
    for shape in SHAPES:
        for missing in KINDS[dtype[0] if dtype[0] in "fc" else "i"]:
            x = values(shape, dtype, missing)
            for arguments in ARGUMENTS:
                if arguments.keys() <= TAKEN[name] | {"axis", "keepdims"}:
                    compare(x, name, arguments, np.array(x))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4", "?"])
@pytest.mark.parametrize("name", ["nanargmax", "nanargmin", "nancumsum", "nancumprod"])
def test_positions_and_accumulations(name: str, dtype: str) -> None:
    for shape in SHAPES:
        for missing in KINDS["c" if dtype[0] in "fc" else "i"]:
            x = (
                values(shape, dtype, missing) / 4
                if "prod" in name
                else values(shape, dtype, missing)
            )
            for arguments in ({}, {"axis": 0}, {"axis": -1}, {"axis": 9}, {"keepdims": True}):
                if "keepdims" not in arguments or "arg" in name:
                    compare(x, name, arguments, np.array(x))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_into_out(name: str) -> None:
    for missing in ("none", "some"):
        x = values((4, 6), "f8", missing)
        for dtype in ("f8", "f4") if name in ("nansum", "nanprod") else ("f8", "f4", "i8"):
            if dtype == "i8" and missing == "some" and name in ("nanmin", "nanmax"):
                continue  # NumPy begins with the first element as an integer, nan or not
            wanted, found, numpys = numpy.zeros(6, dtype), np.zeros(6, dtype), numpy.zeros(6, dtype)
            with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    getattr(numpy, name)(x, axis=0, out=wanted)
                except TypeError:
                    with pytest.raises(TypeError):
                        getattr(np, name)(np.array(x), axis=0, out=found)
                    continue
                assert getattr(np, name)(np.array(x), axis=0, out=found) is found
                assert getattr(np, name)(np.array(x), axis=0, out=numpys) is numpys
                numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-6)
                numpy.testing.assert_allclose(numpys, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", [*REDUCTIONS, "nanargmax", "nancumsum"])
def test_lists_numbers_and_masked_arrays(name: str) -> None:
    nan = numpy.nan
    masked = numpy.ma.masked_array([1.0, 2.0, 30.0], [False, False, True])
    for given in ([1.0, nan, 3.0], [[nan, nan]], [], 2.5, nan, (1, 2), masked, numpy.float32(3)):
        expected, found = outcome(numpy, given, name, {}), outcome(np, given, name, {})
        if isinstance(expected, type):
            assert isinstance(found, type), given
            assert issubclass(found, expected), given
        else:
            assert found[1] == expected[1], given
            assert found[0].dtype == expected[0].dtype
            numpy.testing.assert_allclose(found[0], expected[0])


def test_strided_and_reversed() -> None:
    x = values((40, 30), "f8", "some")
    for view in (lambda a: a[::-2, 3::5], lambda a: a.T[::-1], lambda a: a[None, :, :, None]):
        for name in REDUCTIONS:
            for arguments in ({}, {"axis": 0}, {"axis": 1}):
                compare(view(x), name, arguments, view(np.array(x)))


def test_nothing_falls_back_and_all_is_fused() -> None:
    x = np.arange(100_000.0)
    x[::7] = numpy.nan
    np.flush()
    np.reset_stats()
    for name in REDUCTIONS:
        number = float(getattr(np, name)(x * 1e-12 + 1))
        assert numpy.isfinite(number), name
    stats = np.stats()
    assert stats["fallbacks"] == {}
    assert stats["contracted"] >= len(REDUCTIONS)


def test_what_numpy_has_to_do_is_counted() -> None:
    np.reset_stats()
    x = np.array([1.0, numpy.nan])
    assert float(np.nanvar(x, mean=np.array([1.0]))) == 0.0
    assert np.nansum(numpy.array([1, 2], object)) == 3
    assert set(np.stats()["fallbacks"]) == {"nanvar", "nansum"}
