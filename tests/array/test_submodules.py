"""NumPy's submodules under hassium's name: imports, callable objects with methods, annotations."""

from __future__ import annotations

import copy
import importlib
import pickle
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from hassium.tools import runner


@pytest.mark.parametrize(
    "name",
    ["fft", "ma", "ma.extras", "polynomial", "polynomial.chebyshev", "testing", "typing"]
    + ["exceptions", "lib", "lib.recfunctions", "lib.stride_tricks", "ctypeslib", "strings"],
)
def test_submodules_are_imported(name: str) -> None:
    module = importlib.import_module(f"hassium.{name}")
    holder: Any = hassium
    for part in name.split("."):
        holder = getattr(holder, part)
    assert module is holder
    assert module is sys.modules[f"hassium.{name}"]
    numpys = importlib.import_module(f"numpy.{name}")
    assert hasattr(module, "__path__") == hasattr(numpys, "__path__")
    assert not getattr(module, "__path__", [])  # else NumPy's own files would be found there


def test_names_are_imported_from_submodules() -> None:
    from hassium.exceptions import AxisError
    from hassium.fft import rfft
    from hassium.polynomial import Polynomial

    assert AxisError is numpy.exceptions.AxisError
    assert Polynomial is numpy.polynomial.Polynomial
    assert isinstance(rfft(hassium.arange(4.0)), hassium.ndarray)


@pytest.mark.parametrize("name", ["nothing", "fft.nothing", "linalg.nothing", "_core.nothing"])
def test_what_numpy_lacks_is_not_imported(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"hassium.{name}"):
        importlib.import_module(f"hassium.{name}")


def test_private_modules_are_found_beside_the_extension(tmp_path: Path) -> None:
    from hassium._core import multiarray

    assert hassium._core.multiarray is multiarray
    assert hassium._core.umath.pi == numpy.pi
    assert hassium._core.sctypes is numpy._core.sctypes
    assert isinstance(multiarray.dot(hassium.ones((2, 2)), hassium.ones(2)), hassium.ndarray)
    assert not hasattr(hassium._core, "nothing")
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nimport numpy._core.numeric as nx\nfrom numpy._core import umath\n"
        "assert np._core.numeric is nx and np._core.umath is umath\n"
    )
    with runner.redirected():
        runpy.run_path(str(script))


def test_masked_operations_have_their_methods() -> None:
    def run(m: Any) -> Any:
        x = m.array([1.0, 3.0, 2.0])
        masked = m.ma.masked_greater(x, 2.5)
        return (
            float(m.ma.add.reduce(masked)),
            float(m.ma.minimum.reduce(x)),
            m.ma.multiply.outer(x, masked).tolist(),
            m.ma.add.accumulate(masked).tolist(),
            m.ma.log(x - 1).tolist(),
            m.ma.add.__name__,
            m.ma.add.__doc__.partition("\n\nhassium:")[0].rstrip(),
            copy.copy(m.ma.add)(1, 2),
        )

    before = hassium.stats()["fallbacks"].get("ma.add.reduce", {"count": 0})["count"]
    assert run(hassium) == run(numpy)
    assert hassium.stats()["fallbacks"]["ma.add.reduce"]["count"] == before + 1
    with pytest.raises(AttributeError, match="nothing"):
        _ = hassium.ma.add.nothing


def test_annotations_are_numpys() -> None:
    for name in ("NDArray", "ArrayLike", "DTypeLike"):
        assert getattr(hassium.typing, name) is getattr(numpy.typing, name)
    assert hassium.typing.NDArray[hassium.float64] == numpy.typing.NDArray[numpy.float64]


@pytest.mark.parametrize(
    "name", ["loadtxt", "fft.fft", "linalg.inv", "polynomial.chebyshev.chebval"]
)
def test_functions_are_pickled(name: str) -> None:
    function: Any = hassium
    for part in name.split("."):
        function = getattr(function, part)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", ["", "fft", "lib.stride_tricks", "linalg", "random"])
def test_modules_have_all_names_for_who_walks_them(name: str) -> None:
    own: Any = hassium
    numpys: Any = numpy
    for part in name.split(".") if name else ():
        own, numpys = getattr(own, part), getattr(numpys, part)
    public = {key for key in vars(numpys) if not key.startswith("_")}
    assert public - vars(own).keys() == set()
    assert own.__dict__ is vars(own)
    assert all(getattr(own, key) is vars(own)[key] for key in public)


@pytest.mark.parametrize("name", ["", ".fft", ".lib", ".linalg", ".ma", ".polynomial", ".random"])
def test_a_star_brings_the_names_of_numpy(name: str) -> None:
    own: dict[str, Any] = {}
    numpys: dict[str, Any] = {}
    exec(f"from hassium{name} import *", own)
    exec(f"from numpy{name} import *", numpys)
    assert own.keys() == numpys.keys()


def test_a_star_leaves_the_names_of_the_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("config = stats = flush = debug = 1\nfrom numpy import *\n")
    with runner.redirected():
        names = runpy.run_path(str(program))
    assert [names[name] for name in ("config", "stats", "flush", "debug")] == [1] * 4


def test_the_version_is_that_of_the_functions() -> None:
    assert hassium.__version__ == numpy.__version__


def test_names_of_the_module_are_not_looked_up_in_numpy() -> None:
    before = hassium.__path__
    for name in ("__path__", "__all__", "__file__"):
        with pytest.raises(AttributeError, match=name):
            hassium.__getattr__(name)
    assert hassium.__path__ is before


def test_numpys_private_core_is_not_hassiums(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from numpy._core.einsumfunc import _parse_einsum_input as parse\n"
        "from numpy._core import multiarray\n"
        "found = parse(('ij,jk', [[1]], [[2]]))[:2]\n"
        "made = multiarray.arange(3)\n"
    )
    with runner.redirected():
        names = runpy.run_path(str(program))
    assert names["found"] == ("ij,jk", "ik")
    assert type(names["made"]) is hassium.ndarray
