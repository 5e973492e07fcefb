"""NetworkX, SymPy, dask and xarray with our arrays give what they give with NumPy's."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from packages import wanted

BOTH = (hassium, numpy)


def test_elements_are_numpys_scalars() -> None:
    h = hassium.arange(6).reshape(3, 2)
    elements = [
        *h[0],
        *[x for row in h for x in row],
        *[a for a, b in h],
        *next(zip(*h, strict=True)),
    ]
    assert {type(x) for x in elements} == {numpy.int64}
    assert {type(x) for x in h.ravel().tolist()} == {int}
    assert {h[0, 1]: "one"}[1] == "one"


def test_nodes_and_edges() -> None:
    networkx: Any = wanted("networkx")
    for edges in (
        hassium.arange(6).reshape(3, 2),
        zip(*hassium.arange(6).reshape(2, 3), strict=True),
    ):
        graph = networkx.Graph()
        graph.add_edges_from(edges)
        assert {type(node) for node in graph} == {numpy.int64}
        assert 1 in graph


SYMBOLS = {
    "times": lambda np, y: y * np.arange(3),
    "plus": lambda np, y: y + np.arange(3.0),
    "minus": lambda np, y: y - np.ones((2, 2)),
    "to the": lambda np, y: y ** np.arange(3.0),
    "by": lambda np, y: y / np.arange(1.0, 3.0),
    "modulo": lambda np, y: y % np.arange(1, 3),
    "times, right": lambda np, y: np.arange(3) * y,
    "with a number": lambda np, y: y * np.array(2.0),
    "with an element": lambda np, y: y * np.arange(3.0)[2],
}


@pytest.mark.parametrize("name", SYMBOLS)
def test_symbols_on_the_left(name: str) -> None:
    sympy: Any = wanted("sympy")
    ours, theirs = (SYMBOLS[name](np, sympy.symbols("y")) for np in BOTH)
    assert repr(ours) == repr(theirs)


def test_relations_of_symbols() -> None:
    sympy: Any = wanted("sympy")
    for np in BOTH:
        with pytest.raises(TypeError, match="truth value of Relational"):
            bool(sympy.symbols("y") < np.arange(3.0))


def test_dask() -> None:
    da: Any = wanted("dask.array")
    normals, percentiles = [], []
    for np in BOTH:
        draw = da.random.default_rng(0).normal
        normals.append(numpy.asarray(draw(np.arange(3.0), np.ones(3), size=3).compute()))
        found = da.percentile(da.arange(100, chunks=10), np.array([10, 50]))
        percentiles.append(numpy.asarray(found.compute()))
    numpy.testing.assert_array_equal(*normals)
    numpy.testing.assert_array_equal(*percentiles)


def test_xarray() -> None:
    xarray: Any = wanted("xarray")
    for np in BOTH:
        lines = xarray.DataArray(np.arange(5.0), dims="t", coords={"t": np.arange(5.0)})
        assert numpy.asarray(lines.interp(t=np.array([0.5, 1.5]))).tolist() == [0.5, 1.5]
