"""dask's array backend `hassium`: chunks are our arrays, and values those of NumPy's backend."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from interop.dask_backend.collections import OF_NUMPY, OF_THE_BACKEND
from packages import wanted

ROOT = Path(__file__).parents[3]


def made(case: Any, backend: str) -> Any:
    """The collection that a case makes under the backend of that name, and its value."""
    import dask.array

    with dask.config.set({"array.backend": backend}):
        collection = case(dask.array)
        return collection, collection.compute(scheduler="sync")


def agree(case: Any) -> Any:
    """The case's collection; its values are those of NumPy's backend but for rounding."""
    collection, found = made(case, "hassium")
    _, expected = made(case, "numpy")
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(expected), rtol=1e-13)
    return collection


@pytest.mark.parametrize("name", OF_THE_BACKEND)
def test_chunks_are_ours(name: str) -> None:
    wanted("dask.array")
    collection = agree(OF_THE_BACKEND[name])
    ours = type(hassium.ones(1))
    assert type(collection._meta) is ours
    blocks = [block.compute(scheduler="sync") for block in collection.blocks.ravel()]
    assert {type(block) for block in blocks} == {ours}
    assert type(collection.compute(scheduler="sync")) is ours


@pytest.mark.parametrize("name", OF_NUMPY)
def test_chunks_are_numpys(name: str) -> None:
    wanted("dask.array")
    collection = agree(OF_NUMPY[name])
    assert type(collection._meta) in (numpy.ndarray, numpy.float64)


def test_threads_share_chunks() -> None:
    da: Any = wanted("dask.array")
    with wanted("dask").config.set({"array.backend": "hassium"}):
        x = da.random.default_rng(1).normal(size=(400, 300), chunks=50)
        both = [
            ((x - x.mean(axis=0)) / x.std(axis=0)).sum(axis=1).compute(scheduler=scheduler)
            for scheduler in ("threads", "sync")
        ]
    numpy.testing.assert_array_equal(*both)


def test_moments_are_recorded() -> None:
    da: Any = wanted("dask.array")
    with wanted("dask").config.set({"array.backend": "hassium"}):
        x = da.random.default_rng(1).normal(size=(40, 4000), chunks=(10, 4000))
        found = ((x - x.mean(axis=0)) / x.std(axis=0)).var(axis=0)
        hassium.reset_stats()
        found.compute(scheduler="sync")
    assert not hassium.stats()["eager"]
    assert not hassium.stats()["fallbacks"]


def test_size_and_token() -> None:
    sizeof, base = wanted("dask.sizeof").sizeof, wanted("dask.base")
    assert sizeof(hassium.zeros(1000)) == 8000
    assert sizeof(hassium.broadcast_to(hassium.zeros(1), 1000)) == 8
    tokens = [base.tokenize(a) for a in (hassium.arange(9.0), hassium.arange(9.0), hassium.ones(9))]
    assert tokens[0] == tokens[1] != tokens[2]


BY_NAME = """
import sys
import dask
import dask.array as da

dask.config.set({"array.backend": "hassium"})
x = da.ones(8, chunks=4)
assert "hassium" in sys.modules
print(type(x._meta).__module__, type((x + 1).compute()).__module__)
y = da.from_array(__import__("numpy").ones(4), chunks=2)
print(type(y._meta).__module__, type(y.to_backend()._meta).__module__)
"""


def test_programs_find_the_backend_by_its_name(tmp_path: Path) -> None:
    """Without importing hassium, by the entry point of the installed package."""
    wanted("dask.array")
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    # An installed package of that name: these tests run from the tree as well.
    (tmp_path / "hassium-0.dist-info").mkdir()
    lines = [
        line
        for group, names in groups.items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in names.items()))
    ]
    (tmp_path / "hassium-0.dist-info/entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "hassium-0.dist-info/METADATA").write_text("Name: hassium\nVersion: 0\n")
    path = os.pathsep.join([str(tmp_path), str(Path(hassium.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", BY_NAME], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["hassium hassium", "numpy hassium"]
