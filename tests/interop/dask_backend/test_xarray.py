"""xarray on dask's chunks of our arrays, and on our arrays themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from packages import wanted

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda xr, a: a,
    "mean": lambda xr, a: a.mean("t"),
    "anomaly": lambda xr, a: (a - a.mean("t")) / a.std("t"),
    "rolling": lambda xr, a: a.rolling(t=3).mean(),
    "groupby": lambda xr, a: a.groupby(a.t // 4).mean(),
    "coarsen": lambda xr, a: a.coarsen(t=2).mean(),
    "isel": lambda xr, a: a.isel(t=slice(0, 3)),
    "where": lambda xr, a: a.where(a > 0).fillna(0),
    "concat": lambda xr, a: xr.concat([a, a], "t"),
    "apply_ufunc": lambda xr, a: xr.apply_ufunc(
        numpy.sin, a, dask="parallelized", output_dtypes=["f8"]
    ),
    "apply_ufunc on the collection": lambda xr, a: xr.apply_ufunc(numpy.sin, a, dask="allowed"),
    "dataset": lambda xr, a: xr.Dataset({"a": a}).sum("x")["a"],
}


def cube(backend: str) -> Any:
    """Twelve times of an 8 x 6 grid, chunked in time."""
    xr, da = wanted("xarray"), wanted("dask.array")
    with wanted("dask").config.set({"array.backend": backend}):
        data = da.random.default_rng(1).normal(size=(12, 8, 6), chunks=(4, 8, 6))
    return xr.DataArray(data, dims=("t", "y", "x"), coords={"t": numpy.arange(12.0)})


@pytest.mark.parametrize("name", CASES)
def test_chunks_stay_ours(name: str) -> None:
    xr: Any = wanted("xarray")
    found, expected = (CASES[name](xr, cube(b)) for b in ("hassium", "numpy"))
    assert type(found.data._meta) is type(hassium.ones(1))
    computed = found.compute(scheduler="sync")
    assert type(computed.data) is type(hassium.ones(1))
    xr.testing.assert_allclose(computed, expected.compute(scheduler="sync"), rtol=1e-12)


def test_chunking_our_array() -> None:
    xr: Any = wanted("xarray")
    wanted("dask.array")
    whole = xr.DataArray(hassium.arange(12.0).reshape(3, 4), dims=("y", "x"))
    chunked = whole.chunk(x=2)
    assert type(chunked.data._meta) is type(hassium.ones(1))
    assert type((chunked + whole).compute(scheduler="sync").data) is type(hassium.ones(1))
    assert type(chunked.to_numpy()) is numpy.ndarray
