"""Fallbacks and eager instructions are counted by name and by the line that called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import hassium as np


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    np.reset_stats()
    yield
    np.reset_stats()


def run(source: str, file: str, **names: Any) -> None:
    exec(compile(source, file, "exec"), {"np": np, "x": np.arange(5), **names})


def sites(kind: str, name: str) -> dict[str, int]:
    row = np.stats()[kind][name]
    assert row["count"] == sum(row["sites"].values())
    return dict(row["sites"])


def test_each_line_has_its_count() -> None:
    run("for k in range(7):\n np.trim_zeros(x)\n if k > 4: np.trim_zeros(x)\n", "lines.py")
    assert sites("fallbacks", "trim_zeros") == {"lines.py:2": 7, "lines.py:3": 2}


def test_calls_on_one_line_are_one_site() -> None:
    run("np.trim_zeros(x); np.trim_zeros(x)", "one.py")
    assert sites("fallbacks", "trim_zeros") == {"one.py:1": 2}


def test_one_place_may_call_several() -> None:
    run("for f in (np.trim_zeros, np.packbits) * 3: f(x)", "both.py")
    assert sites("fallbacks", "trim_zeros") == sites("fallbacks", "packbits") == {"both.py:1": 3}


def test_methods_and_ufunc_methods_are_counted_where_they_are_called() -> None:
    run("\nx.partition(1)\nnp.negative.at(x, [0, 2])", "methods.py")
    assert sites("fallbacks", "ndarray.partition") == {"methods.py:2": 1}
    assert sites("fallbacks", "negative.at") == {"methods.py:3": 1}


def test_more_places_than_are_remembered() -> None:
    lines = 300
    run("np.trim_zeros(x)\n" * lines, "many.py")
    run("np.trim_zeros(x)\n" * lines, "many.py")
    assert sites("fallbacks", "trim_zeros") == {f"many.py:{k + 1}": 2 for k in range(lines)}


def test_code_that_is_compiled_again_counts_on() -> None:
    for _ in range(100):
        run("np.trim_zeros(x)", "again.py")
    assert sites("fallbacks", "trim_zeros") == {"again.py:1": 100}


def test_eager_instructions_have_sites_as_well() -> None:
    shared = numpy.zeros(5000)
    run("for k in range(3): y += k", "eager.py", y=np.asarray(shared, copy=False))
    assert (shared == 3.0).all()
    assert sites("eager", "add") == {"eager.py:1": 3}


def test_counts_start_over() -> None:
    source = compile("np.trim_zeros(x)", "over.py", "exec")
    names = {"np": np, "x": np.arange(5)}
    for _ in range(2):
        exec(source, names)
        assert sites("fallbacks", "trim_zeros") == {"over.py:1": 1}
        np.reset_stats()
        assert np.stats()["fallbacks"] == {}


def test_a_file_name_of_odd_bytes_is_kept() -> None:
    file = os.fsdecode(b"odd\xff.py")
    run("np.trim_zeros(x)", file)
    assert sites("fallbacks", "trim_zeros") == {f"{file}:1": 1}
