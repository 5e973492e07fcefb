"""h5py, scikit-image and astropy with hassium's arrays, where they are installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import outcome
from packages import wanted


def _package(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return wanted(name)


def _as_numpys(case: Callable[..., Any], *arguments: Any) -> None:
    found, wanted = (outcome(lambda np=np: case(np, *arguments)) for np in (hassium, numpy))
    assert found[0] == wanted[0] == "value", found
    numpy.testing.assert_allclose(numpy.asarray(found[1]), numpy.asarray(wanted[1]), rtol=1e-12)


def _read(np: Any, data: Any) -> Any:
    out = np.zeros((4, 4))
    data.read_direct(out, np.s_[0:2], np.s_[1:3])
    return out + 1


def _write(np: Any, data: Any) -> Any:
    data.write_direct(np.arange(12.0).reshape(3, 4) * 2)
    return data[...]


def _put(key: Callable[[Any], Any], *extents: int) -> Callable[[Any, Any], Any]:
    def case(np: Any, data: Any) -> Any:
        data[key(np)] = np.ones(extents) * 9
        return data[...]

    return case


FILES: dict[str, Callable[[Any, Any], Any]] = {
    "read_direct": _read,
    "write_direct": _write,
    "at a mask": lambda np, data: data[np.arange(12).reshape(3, 4) > 5],
    "at a mask of rows": lambda np, data: data[np.array([True, False, True])],
    "at columns": lambda np, data: data[:, np.array([0, 2])],
    "into a mask": _put(lambda np: np.arange(12).reshape(3, 4) > 5, 6),
    "into rows": _put(lambda np: np.array([0, 2]), 2, 4),
}


@pytest.mark.parametrize("name", FILES)
def test_h5py(name: str, tmp_path: Path) -> None:
    h5py = _package("h5py")

    def case(np: Any) -> Any:
        with h5py.File(tmp_path / f"{np.__name__}.h5", "w") as file:
            data = file.create_dataset("a", data=np.arange(12.0).reshape(3, 4))
            return FILES[name](np, data)

    _as_numpys(case)


def _image(np: Any) -> Any:
    return np.sin(np.arange(400.0) ** 2).reshape(20, 20)


def _spots(np: Any) -> Any:
    return _image(np) > 0.3


IMAGES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "warp": (
        "transform",
        lambda np, m: m.warp(_image(np), np.array([[1, 0.1, 1], [0, 1, 2], [0, 0, 1.0]])),
    ),
    "warp by coordinates": (
        "transform",
        lambda np, m: m.warp(_image(np), np.mgrid[:20, :20] * 0.9),
    ),
    "hough_line": ("transform", lambda np, m: m.hough_line(_spots(np))[0]),
    "hough_circle": ("transform", lambda np, m: m.hough_circle(_spots(np), np.array([3, 4]))),
    "haar_like_feature": (
        "feature",
        lambda np, m: m.haar_like_feature(np.cumsum(_image(np), axis=0), 0, 0, 5, 5, "type-2-x"),
    ),
    "watershed": (
        "segmentation",
        lambda np, m: m.watershed(_image(np), np.arange(400).reshape(20, 20) % 7),
    ),
    "marching_cubes": (
        "measure",
        lambda np, m: m.marching_cubes(
            np.sin(np.arange(64.0)).reshape(4, 4, 4), 0.0, mask=np.ones((4, 4, 4), bool)
        )[0],
    ),
    "view_as_windows": ("util", lambda np, m: m.view_as_windows(_image(np), (3, 3))),
}


@pytest.mark.parametrize("name", IMAGES)
def test_skimage(name: str) -> None:
    module, case = IMAGES[name]
    _as_numpys(case, _package(f"skimage.{module}"))


def _table(np: Any, table: Any) -> Any:
    return table.Table({"a": np.arange(4.0), "b": np.array([3, 1, 2, 0])})


def _put_rows(np: Any, table: Any) -> Any:
    made = _table(np, table)
    made[np.array([0, 2])] = (9.0, 8)
    return made["a"]


def _uncertain(np: Any, nddata: Any) -> Any:
    made = nddata.CCDData(np.ones((2, 2)), unit="adu")
    made.uncertainty = nddata.StdDevUncertainty(np.ones((2, 2)))
    return made.add(made, uncertainty_correlation=np.full((2, 2), 0.5)).uncertainty.array


def _flags(np: Any, nddata: Any) -> Any:
    flags = nddata.FlagCollection(shape=(2,))
    flags["a"] = np.array([True, False])
    return flags["a"]


def _amplitude(np: Any, models: Any) -> Any:
    model = models.Gaussian1D(1.0, 2.0, 3.0)
    model.amplitude = np.array(3.0)
    return model(np.arange(3.0))


STARS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "table at a mask": ("table", lambda np, m: _table(np, m)[np.arange(4) > 1]["b"]),
    "table at rows": ("table", lambda np, m: _table(np, m)[np.array([2, 0])]["b"]),
    "table where": ("table", lambda np, m: _table(np, m)[np.where(np.arange(4) > 1)]["b"]),
    "table into rows": ("table", _put_rows),
    "table of a matrix": ("table", lambda np, m: m.Table(np.eye(2), names=["a", "b"])["b"]),
    "group_by": (
        "table",
        lambda np, m: _table(np, m).group_by(np.array([1, 1, 0, 0])).groups.keys,
    ),
    "SkyCoord": (
        "coordinates",
        lambda np, m: m.SkyCoord(np.array([[1.0, 2.0], [3.0, 4.0]]), unit="deg").ra.deg,
    ),
    "CustomKernel": ("convolution", lambda np, m: m.CustomKernel(np.ones((3, 3))).array),
    "uncertainty": ("nddata", _uncertain),
    "flags": ("nddata", _flags),
    "parameter": ("modeling.models", _amplitude),
    "quantity_input": (
        "units",
        lambda np, m: m.quantity_input(a=m.dimensionless_unscaled)(lambda a: a * 2)(np.ones(2)),
    ),
}


@pytest.mark.parametrize("name", STARS)
def test_astropy(name: str) -> None:
    module, case = STARS[name]
    _as_numpys(case, _package(f"astropy.{module}"))


def test_fits(tmp_path: Path) -> None:
    fits = _package("astropy.io.fits")
    path = tmp_path / "image.fits"
    fits.writeto(path, hassium.eye(3))
    fits.append(path, hassium.ones((2, 2)))
    assert fits.getdata(path).tolist() == numpy.eye(3).tolist()
    assert fits.getdata(path, 1).tolist() == [[1, 1], [1, 1]]
    path = tmp_path / "packed.fits"
    fits.CompImageHDU(hassium.arange(12, dtype="i2").reshape(3, 4)).writeto(path)
    assert fits.getdata(path).ravel().tolist() == list(range(12))
