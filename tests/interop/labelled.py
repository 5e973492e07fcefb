"""Calls of packages for labelled and chunked arrays, plots and indices."""

from __future__ import annotations

from typing import Any

from interop.arrays import Case, coordinates, features, image, load, matrix, signal, vector


def _labelled(np: Any) -> Any:
    return load("xarray").DataArray(
        matrix(np), dims=("x", "y"), coords={"x": np.arange(2.0), "y": vector(np)}
    )


XARRAY: dict[str, Case] = {
    "sum": lambda np: _labelled(np).sum("x"),
    "arithmetic": lambda np: _labelled(np) * np.ones((2, 3)) + 1,
    "on the right": lambda np: np.ones((2, 3)) * _labelled(np),
    "interp": lambda np: _labelled(np).interp(x=np.array([0.5]), y=np.array([1.5, 2.5])),
    "interp of one axis": lambda np: _labelled(np).interp(x=0.25),
    "sel": lambda np: _labelled(np).sel(x=np.array([1.0])),
    "isel": lambda np: _labelled(np).isel(y=np.array([2, 0])),
    "mask": lambda np: _labelled(np)[:, vector(np) > 1],
    "where": lambda np: _labelled(np).where(_labelled(np) > 2, 0.0),
    "groupby": lambda np: _labelled(np).groupby("x").mean(),
    "dataset": lambda np: load("xarray").Dataset({"a": ("x", vector(np))}).mean()["a"],
    "polyfit": lambda np: _labelled(np).polyfit("y", 1).polyfit_coefficients,
    "concat": lambda np: load("xarray").concat([_labelled(np), _labelled(np)], "z"),
    "to_pandas": lambda np: _labelled(np).to_pandas(),
    "rolling": lambda np: _labelled(np).rolling(y=2).mean(),
    "apply_ufunc": lambda np: load("xarray").apply_ufunc(np.sin, _labelled(np)),
    "quantile": lambda np: _labelled(np).quantile(0.5, "y"),
    "resample": lambda np: _labelled(np).coarsen(x=2).mean(),
}


def _chunked(np: Any) -> Any:
    return load("dask.array").from_array(signal(np), chunks=20)


DASK: dict[str, Case] = {
    "sum": lambda np: (_chunked(np) + 1).sum().compute(),
    "with an array": lambda np: (_chunked(np) + signal(np)).compute(),
    "on the right": lambda np: (signal(np) * _chunked(np)).compute(),
    "percentile": lambda np: (
        load("dask.array").percentile(_chunked(np), [25, 50], method="linear").compute()
    ),
    "index": lambda np: _chunked(np)[np.array([1, 30])].compute(),
    "mask": lambda np: _chunked(np)[signal(np) > 0].compute(),
    "map_blocks": lambda np: _chunked(np).map_blocks(np.sin).compute(),
    "random": lambda np: (
        load("dask.array").random.default_rng(1).normal(vector(np), 1e-300, size=3).compute()
    ),
    "random integers": lambda np: (
        load("dask.array").random.RandomState(1).normal(vector(np), 1e-300, size=3).compute()
    ),
    "tensordot": lambda np: load("dask.array").dot(_chunked(np), signal(np)).compute(),
    "concatenate": lambda np: load("dask.array").concatenate([_chunked(np), signal(np)]).compute(),
    "histogram": lambda np: (
        load("dask.array").histogram(_chunked(np), bins=np.linspace(-1, 1, 5))[0].compute()
    ),
    "einsum": lambda np: load("dask.array").einsum("i,i->", _chunked(np), signal(np)).compute(),
    "lists": lambda np: load("dask.array").stack([vector(np), vector(np)]).compute(),
    "overlap": lambda np: (
        _chunked(np).map_overlap(lambda block: block + 1, depth=1, boundary="none").compute()
    ),
    "tokens": lambda np: len(load("dask.base").tokenize(vector(np))),
}


NDINDEX: dict[str, Case] = {
    "array": lambda np: load("ndindex").ndindex(np.array([0, 2])).newshape((5,)),
    "mask": lambda np: load("ndindex").ndindex(vector(np) > 1).newshape((3,)),
    "in a tuple": lambda np: (
        load("ndindex").ndindex((np.array([0, 1]), slice(0, 2))).newshape((5, 5))
    ),
    "IntegerArray": lambda np: load("ndindex").IntegerArray(np.array([1])).raw,
}

ARRAY_API_COMPAT: dict[str, Case] = {
    "is_numpy_array": lambda np: load("array_api_compat").is_numpy_array(vector(np)),
    "is_array_api_obj": lambda np: load("array_api_compat").is_array_api_obj(vector(np)),
    "namespace": lambda np: (
        load("array_api_compat").array_namespace(vector(np)).concat([vector(np), vector(np)])
    ),
    "device": lambda np: load("array_api_compat").device(vector(np)) == "cpu",
    "size": lambda np: load("array_api_compat").size(vector(np)),
}


def _plotted(np: Any) -> Any:
    pyplot = load("matplotlib.figure").Figure()
    axes = pyplot.subplots()
    line = axes.plot(vector(np), vector(np) ** 2)[0]
    axes.imshow(image(np), extent=np.array([0, 1, 0, 1]))
    axes.scatter(vector(np), vector(np), c=vector(np), s=vector(np))
    axes.hist(signal(np), bins=np.linspace(-1, 1, 5))
    axes.errorbar(vector(np), vector(np), yerr=vector(np))
    axes.contour(features(np))
    axes.bar(vector(np), vector(np), color=np.ones((3, 4)) / 2)
    axes.fill_between(vector(np), vector(np), where=vector(np) > 1)
    axes.set_xticks(vector(np))
    axes.set_xlim(np.array([0.0, 4.0]))
    pyplot.canvas.draw()
    return line.get_xydata()


MATPLOTLIB: dict[str, Case] = {
    "figure": _plotted,
    "colours": lambda np: load("matplotlib.colors").to_rgba_array(np.ones((2, 3)) / 2),
    "map": lambda np: load("matplotlib").colormaps["viridis"](vector(np) / 4),
    "path": lambda np: (
        load("matplotlib.path")
        .Path(coordinates(np))
        .contains_points(np.array([[3.0, 1.0], [0.0, 2.0]]))
    ),
    "transform": lambda np: (
        load("matplotlib.transforms").Affine2D().rotate(1).transform(coordinates(np))
    ),
    "affine": lambda np: (
        load("matplotlib.transforms").Affine2D(np.eye(3)).transform(coordinates(np))
    ),
}
