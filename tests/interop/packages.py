"""The table: calls by package, each a function of the module that stands for NumPy."""

from __future__ import annotations

from interop.arrays import Case
from interop.compilers import AUTOGRAD, JAX, NUMBA, NUMEXPR, SYMPY, TORCH
from interop.images import CV2, NETWORKX, PIL, SHAPELY, SKIMAGE
from interop.labelled import ARRAY_API_COMPAT, DASK, MATPLOTLIB, NDINDEX, XARRAY
from interop.science import LIGHTGBM, SCIPY, SKLEARN, STATSMODELS
from interop.tables import H5PY, NETCDF4, PANDAS, POLARS, PYARROW, ZARR

PACKAGES: dict[str, dict[str, Case]] = {
    "PIL": PIL,
    "array_api_compat": ARRAY_API_COMPAT,
    "autograd": AUTOGRAD,
    "cv2": CV2,
    "dask": DASK,
    "h5py": H5PY,
    "jax": JAX,
    "lightgbm": LIGHTGBM,
    "matplotlib": MATPLOTLIB,
    "ndindex": NDINDEX,
    "netCDF4": NETCDF4,
    "networkx": NETWORKX,
    "numba": NUMBA,
    "numexpr": NUMEXPR,
    "pandas": PANDAS,
    "polars": POLARS,
    "pyarrow": PYARROW,
    "scipy": SCIPY,
    "shapely": SHAPELY,
    "skimage": SKIMAGE,
    "sklearn": SKLEARN,
    "statsmodels": STATSMODELS,
    "sympy": SYMPY,
    "torch": TORCH,
    "xarray": XARRAY,
    "zarr": ZARR,
}
