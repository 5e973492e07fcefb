"""Calls of packages for images, geometry and graphs."""

from __future__ import annotations

import io
from typing import Any

from interop.arrays import Case, coordinates, image, load, square

NETWORKX: dict[str, Case] = {
    "Graph": lambda np: sorted(load("networkx").Graph(square(np)).edges(data="weight")),
    "DiGraph": lambda np: sorted(load("networkx").DiGraph(square(np)).edges(data="weight")),
    "from_numpy_array": lambda np: sorted(
        load("networkx").from_numpy_array(square(np)).edges(data="weight")
    ),
    "relabelled": lambda np: load("networkx").to_numpy_array(load("networkx").Graph(square(np))),
    "layout": lambda np: load("networkx").spring_layout(
        load("networkx").path_graph(2), pos={0: np.zeros(2), 1: np.ones(2)}, iterations=1, seed=1
    )[1],
}


def _filled_polygon(np: Any) -> Any:
    canvas = np.zeros((8, 8), "u1")
    corners = np.array([[1, 1], [6, 1], [6, 6]], "i4")
    load("cv2").fillPoly(canvas, [corners], 255)
    return canvas


def _drawn(np: Any) -> Any:
    canvas = np.zeros((8, 8, 3), "u1")
    returned = load("cv2").rectangle(canvas, (1, 1), (5, 5), (255, 0, 0), 1)
    assert (returned == canvas).all()
    return canvas


def _encoded(np: Any) -> Any:
    _, data = load("cv2").imencode(".png", image(np))
    return load("cv2").imdecode(np.asarray(data), 0)


CV2: dict[str, Case] = {
    "cvtColor": lambda np: load("cv2").cvtColor(image(np), load("cv2").COLOR_GRAY2BGR),
    "GaussianBlur": lambda np: load("cv2").GaussianBlur(image(np), (3, 3), 0),
    "resize": lambda np: load("cv2").resize(image(np), (4, 4)),
    "filter2D": lambda np: load("cv2").filter2D(image(np), -1, np.ones((3, 3)) / 9),
    "threshold": lambda np: load("cv2").threshold(image(np), 90, 255, load("cv2").THRESH_BINARY)[1],
    "merge": lambda np: load("cv2").merge([image(np), image(np)]),
    "findContours": lambda np: load("cv2").findContours(
        (image(np) > 100).astype("u1"), load("cv2").RETR_LIST, load("cv2").CHAIN_APPROX_NONE
    )[0][0],
    "fillPoly": _filled_polygon,
    "rectangle": _drawn,
    "encode": _encoded,
    "solve": lambda np: load("cv2").solve(np.eye(2) * 2, np.ones((2, 1)))[1],
    "CLAHE": lambda np: load("cv2").createCLAHE().apply(image(np)),
    "minMaxLoc": lambda np: load("cv2").minMaxLoc(image(np)),
}


SHAPELY: dict[str, Case] = {
    "Polygon": lambda np: load("shapely").Polygon(coordinates(np)).area,
    "LineString": lambda np: load("shapely").LineString(coordinates(np)).length,
    "Point": lambda np: load("shapely").Point(np.array([1.0, 2.0])).x,
    "MultiPoint": lambda np: load("shapely").MultiPoint(coordinates(np)).bounds,
    "points": lambda np: load("shapely").get_x(load("shapely").points(coordinates(np))),
    "polygons": lambda np: load("shapely").area(load("shapely").polygons(coordinates(np))),
    "linestrings of many": lambda np: load("shapely").length(
        load("shapely").linestrings(
            np.ones((5, 2)) * np.arange(5.0)[:, None], indices=np.array([0, 0, 1, 1, 1])
        )
    ),
    "contains_xy": lambda np: load("shapely").contains_xy(
        load("shapely").box(0, 0, 2, 2), np.array([1.0, 3.0]), np.array([1.0, 1.0])
    ),
    "buffer": lambda np: load("shapely").area(
        load("shapely").buffer(load("shapely").points(coordinates(np)), np.array([1.0, 2.0, 3.0]))
    ),
    "tree": lambda np: (
        load("shapely")
        .STRtree(load("shapely").points(coordinates(np)))
        .query(load("shapely").box(-1, -1, 1, 1))
    ),
}


def _pasted(np: Any) -> Any:
    module = load("PIL.Image")
    canvas = module.fromarray(image(np))
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG")
    return np.asarray(module.open(buffer))


PIL: dict[str, Case] = {
    "fromarray": lambda np: load("PIL.Image").fromarray(image(np)).rotate(90),
    "fromarray of a view": lambda np: load("PIL.Image").fromarray(image(np)[::2, ::2]),
    "round trip": _pasted,
    "mask": lambda np: load("PIL.Image").fromarray(image(np) > 90),
    "polygon": lambda np: load("PIL.ImagePath").Path(np.arange(4.0)).tolist(),
}

SKIMAGE: dict[str, Case] = {
    "gaussian": lambda np: load("skimage.filters").gaussian(image(np), 1),
    "warp": lambda np: load("skimage.transform").warp(
        image(np), np.array([[1, 0.1, 1], [0, 1, 2], [0, 0, 1.0]])
    ),
    "hough_line": lambda np: load("skimage.transform").hough_line(image(np) > 90)[0],
    "hough_circle": lambda np: load("skimage.transform").hough_circle(
        image(np) > 90, np.array([2, 3])
    ),
    "haar_like_feature": lambda np: load("skimage.feature").haar_like_feature(
        np.cumsum(image(np).astype(float), axis=0), 0, 0, 5, 5, "type-2-x"
    ),
    "watershed": lambda np: load("skimage.segmentation").watershed(
        image(np), np.arange(64).reshape(8, 8) % 7
    ),
    "label": lambda np: load("skimage.measure").label(image(np) > 90),
    "regionprops": lambda np: [
        found.area for found in load("skimage.measure").regionprops((image(np) > 90).astype(int))
    ],
    "marching_cubes": lambda np: load("skimage.measure").marching_cubes(
        np.sin(np.arange(64.0)).reshape(4, 4, 4), 0.0, mask=np.ones((4, 4, 4), bool)
    )[0],
    "view_as_windows": lambda np: load("skimage.util").view_as_windows(image(np), (3, 3)),
    "polygon": lambda np: load("skimage.draw").polygon(np.array([0, 5, 5]), np.array([0, 0, 5])),
    "dilation": lambda np: load("skimage.morphology").dilation(image(np), np.ones((3, 3), "u1")),
}
