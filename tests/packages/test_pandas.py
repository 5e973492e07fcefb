"""pandas with hassium's arrays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from packages import wanted

pandas: Any = wanted("pandas")


def _table(np: Any) -> Any:
    return pandas.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("xyz"))


def _set(key: Callable[[Any], Any], value: Callable[[Any], Any], where: str = "") -> Any:
    def case(np: Any) -> Any:
        table = _table(np)
        (getattr(table, where) if where else table)[key(np)] = value(np)
        return table

    return case


def _kept(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Whether what is made of an array keeps its values when the array is written to."""

    def case(np: Any) -> Any:
        data = np.arange(4)
        made = make(data)
        data[0] = 9
        return made.to_numpy()

    return case


def mask(np: Any) -> Any:
    return np.arange(4) > 1


def picks(np: Any) -> Any:
    return np.array([0, 2, 1, 0])


CASES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda np: _table(np)[mask(np)],
    "rows and columns": lambda np: _table(np).loc[mask(np), ["x", "z"]],
    "cells": lambda np: _table(np)[np.arange(12).reshape(4, 3) > 5],
    "places": lambda np: _table(np).iloc[picks(np), np.array([0, 2])],
    "of a series": lambda np: _table(np)["x"][mask(np)],
    "of an index": lambda np: pandas.Index(np.arange(4))[mask(np)],
    "put in rows": _set(mask, lambda np: 0.0),
    "put in cells": _set(lambda np: np.arange(12).reshape(4, 3) > 5, lambda np: -1.0),
    "put in a column": _set(lambda np: (mask(np), "x"), lambda np: np.array([7.0, 8.0]), "loc"),
    "a new column": _set(lambda np: "new", lambda np: np.arange(4) * 2),
    "sum": lambda np: _table(np) + np.arange(12.0).reshape(4, 3),
    "sum by rows": lambda np: _table(np) + np.arange(3.0),
    "comparison": lambda np: _table(np) > np.full((4, 3), 5.0),
    "both": lambda np: (_table(np) > 2) & (np.arange(12).reshape(4, 3) < 7),
    "elsewhere": lambda np: _table(np).where(np.arange(12).reshape(4, 3) > 5, -np.ones((4, 3))),
    "groups": lambda np: _table(np).groupby(picks(np)).sum(),
    "nested groups": lambda np: _table(np).groupby([picks(np), np.arange(4) % 2]).sum(),
    "keys": lambda np: _table(np).set_index(picks(np)),
    "unique": lambda np: pandas.Series(pandas.unique(picks(np))),
    "codes": lambda np: pandas.Series(pandas.factorize(picks(np))[0]),
    "series kept": _kept(pandas.Series),
    "index kept": _kept(pandas.Index),
    "table kept": _kept(lambda data: pandas.DataFrame({"x": data})),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("default")  # pandas' own
def test_where_pandas_asks_for_an_array(name: str) -> None:
    found, expected = (CASES[name](module) for module in (hassium, numpy))
    assert type(found) is type(expected)
    if isinstance(expected, numpy.ndarray):
        numpy.testing.assert_array_equal(found, expected)
    else:
        assert found.equals(expected)
        assert found.to_string() == expected.to_string() if expected.ndim > 1 else True


@pytest.mark.parametrize("first", ["hassium", "pandas"])
def test_whoever_is_imported_first(first: str, tmp_path: Path) -> None:
    lines = ["import hassium as np", "import pandas as pd"]
    program = tmp_path / "program.py"
    program.write_text(
        "\n".join(lines if first == "hassium" else lines[::-1]) + "\na = np.arange(4.0)\n"
        "table = pd.DataFrame({'x': a, 'y': 2 * a})\n"
        "assert table[a > 1].shape == (2, 2)\n"
        "assert (table * np.array([1, 0.5]))['y'].sum() == 6\n"
        "assert pd.unique(a % 2).tolist() == [0, 1]\n"
        "assert table.groupby(a % 2)['x'].sum().tolist() == [2, 4]\n"
    )
    subprocess.run([sys.executable, str(program)], check=True)
