"""Numbers of pending work in code that wants a number: what NumPy's scalars give."""

from __future__ import annotations

import datetime
import decimal
import fractions
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pandas
import pytest

import hassium

N = 100_000


@pytest.fixture(autouse=True, params=[64, 0], ids=["at the call", "pending"])
def threshold(request: pytest.FixtureRequest) -> Iterator[None]:
    with hassium.config(eager_elements=request.param):
        yield


def frame(np: Any) -> Any:
    x = np.linspace(0, 1, N)
    return pandas.DataFrame([{"mean": x.mean(), "n": (x > 0.5).sum()}])


def record(x: Any) -> Any:
    return {"mean": x.mean(), "max": x.max(), "last": x[-1], "norm": (x * x).sum()}


def dtypes(np: Any) -> Any:
    return frame(np).dtypes.tolist()


def numeric_means(np: Any) -> Any:
    return frame(np).mean(numeric_only=True).tolist()


def selected(np: Any) -> Any:
    return frame(np).select_dtypes("number").columns.tolist()


def described(np: Any) -> Any:
    return frame(np).describe().shape


def as_json(np: Any) -> Any:
    return frame(np).to_json()


def column(np: Any) -> Any:
    table = pandas.DataFrame({"a": [1.0, 2.0]})
    table["b"] = (np.linspace(0, 1, N) * 2).sum()
    return table.dtypes.tolist()


def series(np: Any) -> Any:
    x = np.linspace(0, 1, N) * 3
    return pandas.Series([x.max()]).dtype, pandas.Series(record(x)).dtype


def scaled(np: Any) -> Any:
    x = np.linspace(0, 1, N) * 3
    return (pandas.Series([1.0, 2.0]) * x.max()).dtype, (x.max() * pandas.Series([1.0])).dtype


def key(np: Any) -> Any:
    lookup = pandas.Series([10, 20], index=[0.0, 3.0])
    return int(lookup[(np.linspace(0, 1, N) * 3).max()])


def timedelta(np: Any) -> Any:
    v = (np.linspace(0, 1, N) * 3).max()
    return datetime.timedelta(seconds=v), pandas.Timedelta(v, unit="s")


def moment(np: Any) -> Any:
    v = (np.linspace(0, 1, N) * 3).max()
    return datetime.datetime.fromtimestamp(v, datetime.UTC)


def sleep(np: Any) -> Any:
    return time.sleep((np.linspace(0, 1, N) * 0).sum())


def exact(np: Any) -> Any:
    return decimal.Decimal((np.linspace(0, 1, N) * 3).max())


def keys_of_json(np: Any) -> Any:
    v = (np.linspace(0, 1, N) * 3).max()
    return json.dumps({v: 1}), json.dumps({"v": v, "all": [v, v + 1]})


def types(np: Any) -> Any:
    v = (np.linspace(0, 1, N) * 3).max()
    n = (np.arange(N) * 2).sum()
    return (
        type(v) in (float, numpy.float64),
        type(n),
        isinstance(v, float),
        type(v + 1),
        type(v > 0),
    )


def stored(np: Any) -> Any:
    with sqlite3.connect(":memory:") as database:
        v = (np.linspace(0, 1, N) * 3).max()
        database.execute("create table t (x)")
        database.execute("insert into t values (?)", (v,))
        found = database.execute("select x, typeof(x) from t").fetchall()
    database.close()
    return found


def formatted(np: Any) -> Any:
    v = (np.linspace(0, 1, N) * 3).max()
    return f"{v:.2f} {v!r}", "%.3f" % v, str(v), f"{v}"  # noqa: UP031


class Measure:
    """Its operators know numbers by their type, as a tensor's do."""

    def __init__(self, seen: tuple[Any, ...] = ()) -> None:
        self.seen = seen

    def __mul__(self, other: Any) -> Any:
        return Measure((*self.seen, other)) if isinstance(other, float) else NotImplemented

    def __imul__(self, other: Any) -> Any:
        if not isinstance(other, float):
            return NotImplemented
        self.seen += (other,)
        return self

    __rmul__ = __gt__ = __mul__


def on_the_left(np: Any) -> Any:
    x = np.linspace(0, 1, N) * 3
    m = Measure()
    kept = m
    m *= x.max()
    return (m * x[-1]).seen, (x.min() * m).seen, (m > x.max()).seen, m is kept


def by_complex(np: Any) -> Any:
    x = np.linspace(0, 1, N) * 3
    found = (1j * x.max(), (1 + 2j) / x.max(), x.max() * 1j)
    return found, [type(number) for number in found]


def by_others(np: Any) -> Any:
    x = np.linspace(0, 1, N) * 3
    found = (x.max() == None, x.max() != {}, x.max() == object(), (x >= 0).all() is np.True_)  # noqa: E711
    return found, [type(number) for number in found]


def by_text(np: Any) -> Any:
    try:
        return "a" + (np.linspace(0, 1, N) * 3).max()
    except TypeError as error:
        return str(error)


def halved(np: Any) -> Any:
    found = fractions.Fraction(1, 2) * (np.linspace(0, 1, N) * 3).max()
    return found, type(found)


USES = (
    on_the_left, by_complex, by_others, by_text, halved, dtypes, numeric_means, selected, described,
    as_json, column, series, scaled, key, timedelta, moment, sleep, exact, keys_of_json, types,
    stored, formatted,
)  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_numbers_are_numpys(use: Callable[[Any], Any]) -> None:
    found, expected = use(hassium), use(numpy)
    if use is numeric_means:  # NumPy's tree of a sum differs
        expected = pytest.approx(expected, rel=1e-15)
    assert found == expected
