"""``mgrid``, ``r_``, ``vectorize`` and archives: the arrays they give are hassium's."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hassium as hs

ALSO = hs.ones((2, 2))
KEYS: list[tuple[str, Any]] = [
    ("mgrid", lambda m: (slice(0, 3), slice(0, 4))),
    ("mgrid", lambda m: (slice(-1, 1, 5j), slice(0, 4, 2))),
    ("mgrid", lambda m: slice(0, 5)),
    ("mgrid", lambda m: slice(0, m.arange(5).max())),
    ("ogrid", lambda m: (slice(0, 3), slice(0.5, 4))),
    ("ogrid", lambda m: slice(0, 1, 5j)),
    ("r_", lambda m: (m.arange(3), 0, slice(0, 1, 3j))),
    ("r_", lambda m: (m.ones((2, 2)).sum(), [5, 6])),
    ("r_", lambda m: ("0,2", m.arange(3), [4, 5, 6])),
    ("r_", lambda m: ("r", m.arange(3))),
    ("r_", lambda m: m.arange(3)),
    ("c_", lambda m: (m.arange(3), m.ones(3))),
    ("r_", lambda m: ("no such", m.arange(3))),
    ("mgrid", lambda m: "text"),
]


# Items of keys of `r_` and `c_`, which are joined without NumPy where arrays of ours take part.
ITEMS: dict[str, Any] = {
    "floats": lambda m: m.arange(6.0)[:3],
    "reversed": lambda m: m.arange(6.0)[::-2],
    "integers": lambda m: m.arange(3),
    "f4": lambda m: m.ones(3, "f4"),
    "bytes": lambda m: m.arange(3, dtype="u1"),
    "rows": lambda m: m.arange(6.0).reshape(2, 3),
    "columns": lambda m: m.asarray(np.asfortranarray(np.arange(6.0).reshape(3, 2))),
    "cube": lambda m: m.ones((2, 3, 2)),
    "none": lambda m: m.zeros(0),
    "alone": lambda m: m.array(3.0),
    "sum": lambda m: m.arange(6.0).sum(),
    "3": lambda m: 3,
    "300": lambda m: 300,
    "2.5": lambda m: 2.5,
    "1j": lambda m: 1j,
    "True": lambda m: True,
    "i1": lambda m: np.int8(3),
    "list": lambda m: [1.5, 2, 3],
    "range": lambda m: slice(0, 3),
    "steps": lambda m: slice(None, 6, 2),
    "samples": lambda m: slice(0, 1, 3j),
    "all": lambda m: slice(None),
    "tuple": lambda m: (1, 2, 3),
    "directive": lambda m: "0,2",
}
LAID = ("floats", "reversed", "bytes", "rows", "columns", "alone")


def outcome(m: Any, name: str, key: Any) -> Any:
    try:
        found = getattr(m, name)[key(m)]
    except Exception as error:
        return type(error)
    parts = found if type(found) is tuple else (found,)
    kinds = {m.ndarray: "array"}
    return [
        (type(found) is tuple, kinds.get(type(x), type(x)), x.dtype, np.asarray(x).tolist())
        for x in parts
    ]


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_subscripted(name: str, key: Any) -> None:
    assert outcome(hs, name, key) == outcome(np, name, key)


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("first", ITEMS)
def test_joined(name: str, first: str) -> None:
    for second in ITEMS:
        pair = ITEMS[first], ITEMS[second]
        key = lambda m: tuple(item(m) for item in pair)  # noqa: E731, B023
        assert outcome(hs, name, key) == outcome(np, name, key), second
        if first in LAID and second in LAID and outcome(np, name, key) is not ValueError:
            assert getattr(hs, name)[key(hs)].strides == getattr(np, name)[key(np)].strides, second


def test_joined_stays_lazy() -> None:
    x = hs.arange(100_000.0) + 1.0
    hs.reset_stats()
    joined = hs.r_[0, x, 1.5, 0:3] + hs.c_[x[:50_000], x[50_000:]].sum()
    assert joined.shape == (100_005,)
    assert not hs.stats()["fallbacks"]
    assert hs.stats()["flushes"] == 0
    assert joined[1] == 1.0 + np.arange(1.0, 100_001.0).sum()


def test_subscripted_objects() -> None:
    assert hs.mgrid.__doc__ == np.mgrid.__doc__
    assert len(hs.r_) == len(np.r_)
    assert hs.r_.concatenate is np.r_.concatenate
    assert repr(hs.mgrid).startswith("<numpy")
    hs.reset_stats()
    hs.mgrid[0:2, 0:2]
    assert any("mgrid" in str(entry) for entry in hs.stats()["fallbacks"])


def test_vectorize() -> None:
    def step(x: Any, low: Any = 0) -> Any:
        return x if x > low else low

    ours, theirs = hs.vectorize(step), np.vectorize(step)
    for args, kwargs in [((3.0,), {}), (([1, -2, 3],), {}), (([[1, -2]], [[0], [2]]), {})]:
        assert np.array_equal(ours(*args, **kwargs), theirs(*args, **kwargs))
    found = ours(hs.arange(-2.0, 3.0), low=hs.ones(5))
    assert type(found) is hs.ndarray
    assert found.tolist() == theirs(np.arange(-2.0, 3.0), low=np.ones(5)).tolist()

    @hs.vectorize(otypes=["f4"], excluded=["low"])
    def decorated(x: Any, low: Any = 0) -> Any:
        """Text."""
        return max(x, low)

    assert decorated([1, -2]).dtype == np.float32
    assert decorated.__doc__ == "Text."
    assert isinstance(decorated, np.vectorize)
    rows = hs.vectorize(lambda a: a.sum(), signature="(n)->()")(hs.ones((2, 3)))
    assert type(rows) is hs.ndarray
    assert rows.tolist() == [3, 3]
    assert inspect.isclass(hs.vectorize)
    with pytest.raises(TypeError):
        hs.vectorize(3)([1])


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrix_from_names_of_the_caller() -> None:
    local = hs.eye(2)  # noqa: F841 (the text names it)
    found = hs.r_["local, ALSO; ALSO, local"]
    assert found.tolist() == [[1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1]]
    assert type(found) is np.matrix
    with pytest.raises(NameError, match="missing"):
        hs.r_["local, missing"]


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "archive.npz"
    hs.savez(path, hs.arange(3.0), text=np.array(["a"]), b=hs.eye(2))
    with hs.load(path) as archive:
        assert type(archive["arr_0"]) is hs.ndarray
        assert {name: x.tolist() for name, x in archive.items()} == {
            "arr_0": [0, 1, 2],
            "text": ["a"],
            "b": [[1, 0], [0, 1]],
        }
        assert archive.f.b.tolist() == [[1, 0], [0, 1]]
        assert isinstance(archive, np.lib.npyio.NpzFile)
        with pytest.raises(KeyError):
            archive["missing"]
    hs.save(tmp_path / "x.npy", hs.arange(3))
    assert type(hs.load(tmp_path / "x.npy")) is hs.ndarray
    assert pickle.loads(pickle.dumps(hs.load)) is hs.load
