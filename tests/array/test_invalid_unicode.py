"""Words that have no UTF-8: every argument that takes a word refuses them as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

BAD = "\ud800"
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "astype casting": lambda m, a: a.astype("f4", casting=BAD),
    "ufunc casting": lambda m, a: m.add(a, a, casting=BAD),
    "ufunc order": lambda m, a: m.add(a, a, order=BAD),
    "ufunc signature": lambda m, a: m.add(a, a, signature=BAD),
    "ufunc keyword": lambda m, a: m.add(a, a, **{BAD: 1}),
    "method keyword": lambda m, a: a.sum(**{BAD: 1}),
    "device": lambda m, a: m.zeros(3, device=BAD),
    "to_device": lambda m, a: a.to_device(BAD),
    "attribute": lambda m, a: getattr(a, BAD),
    "flag": lambda m, a: a.flags[BAD],
    "version": lambda m, a: a.__array_namespace__(api_version=BAD),
    "concatenate casting": lambda m, a: m.concatenate([a, a], casting=BAD),
    "dtype": lambda m, a: m.zeros(3, dtype=BAD),
    "order": lambda m, a: m.zeros(3, order=BAD),
    "index": lambda m, a: a[BAD],
    "einsum": lambda m, a: m.einsum(BAD, a),
    "reshape order": lambda m, a: a.reshape(4, order=BAD),
    "sort kind": lambda m, a: m.sort(a, kind=BAD),
}


@pytest.mark.parametrize("name", CALLS)
def test_lone_surrogates_are_refused(name: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError)) as theirs:
        CALLS[name](numpy, numpy.arange(4.0))
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError)) as ours:
        CALLS[name](np, np.arange(4.0))
    # A word without UTF-8 is a ValueError of its own kind.
    assert issubclass(ours.type, theirs.type) or issubclass(theirs.type, ours.type)


def test_a_file_name_without_utf_8_has_no_influence() -> None:
    source = "y = np.sort(np.arange(9.0)[::-1])\nz = (y + 1.0).sum()"
    names: dict[str, Any] = {"np": np}
    exec(compile(source, "\udcff.py", "exec"), names)
    assert float(names["z"]) == 45.0
    with np.explain() as report:
        exec(compile(source.replace("9.0", "9000.0"), "\udcff.py", "exec"), names)
    assert float(names["z"]) == 9000.0 * 9001.0 / 2
    assert r"\udcff.py:1" in str(report)
    assert str(report).encode()
