"""h5py, scikit-image and astropy take hassium's arrays for NumPy's.

Most of them makes an array of NumPy's of what it is given. Elsewhere what is none is refused, is no
index, or is a number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hassium.interop.exports import teach_function, teach_methods, teach_question

ASKING = (
    "astropy.convolution.kernels",
    "astropy.coordinates.sky_coordinate_parsers",
    "astropy.io.fits.convenience",
    "astropy.io.fits.hdu.compressed._tiled_compression",
    "astropy.modeling.parameters",
    "astropy.nddata.ccddata",
    "astropy.nddata.flag_collection",
    "astropy.nddata.nduncertainty",
    "astropy.table.groups",
    "astropy.table.index",
    "astropy.table.table",
    "astropy.units.decorators",
    "skimage.feature._fisher_vector",
    "skimage.io._image_stack",
    "skimage.segmentation._watershed",
    "skimage.transform._warps",
    "skimage.util.shape",
)

# Functions that hand their arrays to such in C, which take NumPy's alone.
STRICT = {
    "skimage.feature.haar": ("haar_like_feature",),
    "skimage.measure._marching_cubes_lewiner": ("marching_cubes",),
    "skimage.transform.hough_transform": (
        "hough_circle",
        "hough_ellipse",
        "hough_line",
        "probabilistic_hough_line",
    ),
}

LESSONS: dict[str, Callable[[], None]] = {
    "h5py._hl.dataset": functools.partial(
        teach_methods,
        "h5py._hl.dataset",
        "Dataset",
        *("__getitem__", "__setitem__", "read_direct", "write_direct"),
    ),
    **{name: functools.partial(teach_question, name) for name in ASKING},
    **{where: functools.partial(teach_function, where, *names) for where, names in STRICT.items()},
}
