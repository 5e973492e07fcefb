"""Calls of packages for tables and files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interop.arrays import Case, load, matrix, vector


def _frame(np: Any) -> Any:
    return load("pandas").DataFrame(np.arange(12.0).reshape(4, 3), columns=list("xyz"))


def _assigned(np: Any) -> Any:
    frame = _frame(np)
    frame[np.arange(12).reshape(4, 3) > 5] = -1.0
    frame.loc[np.arange(4) > 1, "x"] = np.array([7.0, 8.0])
    frame["new"] = np.arange(4) * 2
    frame.insert(0, "first", np.arange(4))
    return frame


def _kept(make: Callable[[Any], Any]) -> Case:
    """Whether what is made of an array keeps its values when the array is written to."""

    def case(np: Any) -> Any:
        data = np.arange(4)
        made = make(data)
        data[0] = 9
        return made.to_numpy()

    return case


PANDAS: dict[str, Case] = {
    "frame": lambda np: load("pandas").DataFrame({"a": vector(np), "b": np.arange(3)}),
    "rows": lambda np: _frame(np)[np.arange(4) > 1],
    "cells": lambda np: _frame(np)[np.arange(12).reshape(4, 3) > 5],
    "loc": lambda np: _frame(np).loc[np.arange(4) > 1, ["x", "z"]],
    "iloc": lambda np: _frame(np).iloc[np.array([0, 2, 0]), np.array([0, 2])],
    "assignments": _assigned,
    "sum": lambda np: _frame(np) + np.arange(12.0).reshape(4, 3),
    "sum on the right": lambda np: np.arange(12.0).reshape(4, 3) + _frame(np),
    "sum by rows": lambda np: _frame(np) + np.arange(3.0),
    "comparison": lambda np: _frame(np) > np.full((4, 3), 5.0),
    "both": lambda np: (_frame(np) > 2) & (np.arange(12).reshape(4, 3) < 7),
    "where": lambda np: _frame(np).where(np.arange(12).reshape(4, 3) > 5, -np.ones((4, 3))),
    "groups": lambda np: _frame(np).groupby(np.array([0, 2, 0, 2])).sum(),
    "nested groups": lambda np: (
        _frame(np).groupby([np.array([0, 2, 1, 0]), np.arange(4) % 2]).sum()
    ),
    "set_index": lambda np: _frame(np).set_index(np.array([0, 2, 1, 0])),
    "reindex": lambda np: _frame(np).reindex(np.array([3, 1])),
    "unique": lambda np: load("pandas").unique(np.array([0, 2, 0])),
    "factorize": lambda np: load("pandas").factorize(np.array([5, 2, 5]))[0],
    "isin": lambda np: load("pandas").Series([1, 2, 3]).isin(np.array([1, 3])),
    "map": lambda np: load("pandas").Series([1.0, 2.0]).map(lambda v: v * vector(np)[1]),
    "cut": lambda np: load("pandas").cut(vector(np), np.array([0.0, 1.5, 4.0]), labels=False),
    "to_datetime": lambda np: load("pandas").to_datetime(np.array([0, 10**9])).asi8,
    "of a series": lambda np: _frame(np)["x"][np.arange(4) > 1],
    "isna": lambda np: load("pandas").isna(np.array([1.0, np.nan])),
    "concat": lambda np: load("pandas").concat([_frame(np), _frame(np)], keys=np.arange(2)),
    "crosstab": lambda np: load("pandas").crosstab(np.array([0, 1, 0]), np.array([1, 1, 0])),
    "get_dummies": lambda np: load("pandas").get_dummies(np.array([0, 1, 0])),
    "merge": lambda np: _frame(np).merge(_frame(np), left_on=np.arange(4), right_on=np.arange(4)),
    "searchsorted": lambda np: load("pandas").Series([1, 2, 3]).searchsorted(np.array([2, 3])),
    "take": lambda np: _frame(np).take(np.array([1, 0])),
    "series kept": _kept(lambda data: load("pandas").Series(data)),
    "index kept": _kept(lambda data: load("pandas").Index(data)),
    "frame kept": _kept(lambda data: load("pandas").DataFrame({"x": data})),
}


def _arrow_table(np: Any) -> Any:
    table = load("pyarrow").table({"a": vector(np), "b": np.arange(3)})
    return table.to_pandas()


PYARROW: dict[str, Case] = {
    "array": lambda np: load("pyarrow").array(vector(np)),
    "array of integers": lambda np: load("pyarrow").array(np.arange(4, dtype="i2")),
    "array of rows": lambda np: load("pyarrow").array(list(matrix(np))).to_pylist(),
    "array with a type": lambda np: load("pyarrow").array(
        vector(np), type=load("pyarrow").float32()
    ),
    "masked": lambda np: load("pyarrow").array(vector(np), mask=vector(np) > 2).to_pylist(),
    "chunked": lambda np: load("pyarrow").chunked_array([vector(np), vector(np)]),
    "table": _arrow_table,
    "filter": lambda np: (
        load("pyarrow").array([1, 2, 3]).filter(load("pyarrow").array(vector(np) > 1))
    ),
    "take": lambda np: (
        load("pyarrow").array([1, 2, 3]).take(load("pyarrow").array(np.array([2, 0])))
    ),
    "tensor": lambda np: load("pyarrow").Tensor.from_numpy(matrix(np)).to_numpy(),
    "list": lambda np: (
        load("pyarrow")
        .FixedSizeListArray.from_arrays(load("pyarrow").array(np.arange(6)), 3)
        .to_pylist()
    ),
    "compute": lambda np: load("pyarrow.compute").is_in(
        load("pyarrow").array([1, 2]), load("pyarrow").array(np.array([2]))
    ),
    "py_buffer": lambda np: load("pyarrow").py_buffer(vector(np)).to_pybytes(),
}

POLARS: dict[str, Case] = {
    "Series": lambda np: load("polars").Series("a", vector(np)),
    "Series of integers": lambda np: load("polars").Series("a", np.arange(3, dtype="i2")),
    "Series of rows": lambda np: load("polars").Series("a", matrix(np)).to_list(),
    "DataFrame": lambda np: load("polars").DataFrame({"a": vector(np), "b": np.arange(3)}),
    "DataFrame of a matrix": lambda np: load("polars").DataFrame(matrix(np)),
    "from_numpy": lambda np: load("polars").from_numpy(matrix(np), schema=list("abc")),
    "with_columns": lambda np: (
        load("polars").DataFrame({"a": [1, 2, 3]}).with_columns(b=vector(np))
    ),
    "lit": lambda np: load("polars").select(load("polars").lit(vector(np))),
    "filter": lambda np: load("polars").DataFrame({"a": [1, 2, 3]}).filter(vector(np) > 1),
    "is_in": lambda np: load("polars").Series([1, 2, 3]).is_in(np.array([1, 3])),
    "sum": lambda np: load("polars").Series([1.0, 2.0, 3.0]) + vector(np),
    "sum on the right": lambda np: vector(np) + load("polars").Series([1.0, 2.0, 3.0]),
    "rows": lambda np: load("polars").Series([1, 2, 3])[np.array([2, 0])],
    "list of arrays": lambda np: load("polars").DataFrame([vector(np), vector(np)]),
}


def _written(np: Any) -> Any:
    with (
        tempfile.TemporaryDirectory() as folder,
        load("netCDF4").Dataset(Path(folder) / "a.nc", "w") as file,
    ):
        file.createDimension("x", 3)
        variable = file.createVariable("v", "f8", ("x",))
        variable[:] = vector(np)
        variable[np.array([0, 2])] = np.array([5.0, 6.0])
        variable[vector(np) == 2] = 9
        variable.setncattr("levels", np.arange(3.0))
        file.setncattr("weights", vector(np))
        attribute = variable.levels + file.getncattr("weights")
        return [variable[np.array([0, 1, 2])].tolist(), attribute.tolist()]


NETCDF4: dict[str, Case] = {
    "variable": _written,
    "date2num": lambda np: load("netCDF4").num2date(np.arange(2.0), "days since 2000-01-01"),
}


def _zarr(np: Any) -> Any:
    array = load("zarr").zeros((4, 3), dtype="f8")
    array[:] = np.arange(12.0).reshape(4, 3)
    array[0] = vector(np)
    array.oindex[np.array([1, 3]), :] = np.ones((2, 3))
    array.vindex[np.array([0, 1]), np.array([0, 1])] = np.array([7.0, 8.0])
    array.set_mask_selection(np.arange(12).reshape(4, 3) == 8, np.array([3.0]))
    return array[:]


ZARR: dict[str, Case] = {
    "array": lambda np: load("zarr").array(matrix(np))[:],
    "assignments": _zarr,
    "indices": lambda np: load("zarr").array(matrix(np)).oindex[:, np.array([0, 2])],
    "mask": lambda np: load("zarr").array(matrix(np)).vindex[matrix(np) > 2],
    "create": lambda np: load("zarr").create_array(
        load("zarr.storage").MemoryStore(), data=matrix(np)
    )[:],
}


def _hdf(case: Callable[[Any, Any], Any]) -> Case:
    def run(np: Any) -> Any:
        with (
            tempfile.TemporaryDirectory() as folder,
            load("h5py").File(Path(folder) / "a.h5", "w") as file,
        ):
            data = file.create_dataset("a", data=np.arange(12.0).reshape(3, 4))
            return case(np, data)

    return run


def _hdf_read(np: Any, data: Any) -> Any:
    out = np.zeros((4, 4))
    data.read_direct(out, np.s_[0:2], np.s_[1:3])
    return out + 1


def _hdf_write(np: Any, data: Any) -> Any:
    data.write_direct(np.arange(12.0).reshape(3, 4) * 2)
    data[np.arange(12).reshape(3, 4) > 9] = np.ones(2) * 9
    data[np.array([0, 2])] = np.ones((2, 4))
    data.attrs["v"] = vector(np)
    return [data[...].tolist(), data.attrs["v"].tolist()]


H5PY: dict[str, Case] = {
    "read_direct": _hdf(_hdf_read),
    "writes": _hdf(_hdf_write),
    "mask": _hdf(lambda np, data: data[np.arange(12).reshape(3, 4) > 5]),
    "rows": _hdf(lambda np, data: data[np.array([True, False, True])]),
    "columns": _hdf(lambda np, data: data[:, np.array([0, 2])]),
}
