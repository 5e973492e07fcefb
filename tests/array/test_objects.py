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
