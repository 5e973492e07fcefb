"""The rules at the boundary, for modules in Python and in C that no list names."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from hassium import _core
from hassium.interop import boundary, exceptions
from packages import wanted
from scripts import script

PACKAGE = """
import numpy as np

def is_array(a):
    return isinstance(a, np.ndarray), issubclass(type(a), np.ndarray)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    monkeypatch.setattr(boundary, "_SITE", (str(tmp_path) + os.sep,))
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_class_tests_of_installed_packages(folder: Path) -> None:
    (folder / "installed_package.py").write_text(PACKAGE)
    for _ in range(2):  # from the source, then from the compiled file
        module = importlib.import_module("installed_package")
        del sys.modules["installed_package"]
        assert module.is_array(hassium.ones(2)) == (True, True)
        assert module.is_array(numpy.ones(2)) == (True, True)
        assert module.is_array([1.0]) == (False, False)


def test_class_tests_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_module.py").write_text(PACKAGE)
    module = importlib.import_module("own_module")
    assert module.is_array(hassium.ones(2)) == (False, False)


def test_class_tests_answer_and_refuse_as_pythons() -> None:
    assert _core.isinstance(hassium.ones(1), (int, numpy.ndarray))
    assert _core.isinstance(hassium.ones(1), hassium.ndarray)
    assert not _core.isinstance(hassium.ones(1), numpy.ma.MaskedArray)
    assert _core.isinstance(True, int | str)
    assert _core.issubclass(hassium.ndarray, numpy.ndarray)
    for test, python in ((_core.isinstance, isinstance), (_core.issubclass, issubclass)):
        wrong: tuple[Any, ...]
        for wrong in ((), (int,), (int, 3)):
            with pytest.raises(TypeError) as ours:
                test(*wrong)
            with pytest.raises(TypeError) as theirs:
                python(*wrong)
            assert str(ours.value) == str(theirs.value)


def test_a_wrapped_function_is_the_function() -> None:
    function = numpy.lib._array_utils_impl.byte_bounds
    wrapped: Any = _core.exporting(len)
    assert wrapped == len
    assert len == wrapped
    assert {len: 1}[wrapped] == 1
    assert wrapped.__name__ == "len"
    assert isinstance(wrapped, types.BuiltinFunctionType)
    assert inspect.signature(wrapped) == inspect.signature(len)
    assert repr(wrapped) == repr(len)
    assert copy.deepcopy(wrapped) is not None
    assert pickle.loads(pickle.dumps(_core.exporting(numpy.add.reduce))) is not None
    assert _core.exporting(wrapped) is wrapped
    assert _core.exporting(function, True).__get__(3, int).__self__ == 3


def test_types_of_python_keep_their_methods() -> None:
    """A debugger in compiled code, as that of a notebook's kernel, has frames among its names."""
    module: Any = types.ModuleType("debugger")
    module.FrameType, module.own = types.FrameType, types.FrameType.clear
    boundary.export_functions(module)
    assert type(vars(types.FrameType)["clear"]) is types.MethodDescriptorType


def test_what_is_handed_out_and_what_comes_back() -> None:
    seen: list[Any] = []

    def take(*values: Any, **named: Any) -> Any:
        seen[:] = [*values, *named.values()]
        return values[0]

    a = hassium.arange(3.0)
    call: Any = _core.exporting(take)
    assert call(a, [a], {"k": a}, out=(1, a), n=a.sum()) is a
    assert all(type(x) is numpy.ndarray for x in (seen[0], seen[1][0], seen[2]["k"], seen[3][1]))
    assert type(seen[4]) is numpy.float64
    seen[0][0] = 7
    assert a[0] == 7
    many = [1.0] * 40 + [a]
    assert call(many) is many  # data
    call(hassium.random.default_rng(1))
    assert type(seen[0].random(2)) is numpy.ndarray
    with pytest.raises(ZeroDivisionError):
        _core.exporting(lambda x: 1 // 0)(a)


def test_the_table_names_what_exists() -> None:
    for name, paths in {**exceptions.CALLABLES, **exceptions.REGISTRIES}.items():
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            continue
        script = f"import hassium, operator, {name} as m\n" + "".join(
            f"operator.attrgetter({path!r})(m)\n" for path in paths
        )
        subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


def test_which_modules_follow_the_rules() -> None:
    for name in ("torch.nn", "numpy", "hassium.linalg", "numba.core"):
        assert not exceptions.follows_rules(name)
    for name in ("pandas", "numpy.ma.core", "torch.utils.data", "torchvision", "numpydoc"):
        assert exceptions.follows_rules(name)


CYTHON = """
cimport numpy as np
import numpy as np
np.import_array()

def total(np.ndarray a not None, np.ndarray[double, ndim=1] b):
    return a.sum() + b.sum()

def same(np.ndarray a):
    return a

cdef class Holder:
    cdef public double kept
    def keep(self, np.ndarray a):
        self.kept = a.sum()
        return self.kept
"""
PYBIND = """
#include <pybind11/numpy.h>
namespace py = pybind11;
PYBIND11_MODULE(typed_pybind, m) {
    m.def("size", [](const py::array& a) { return a.size(); });
    m.def("twice", [](py::array_t<double> a) {
        for (py::ssize_t k = 0; k < a.size(); ++k) a.mutable_data()[k] *= 2;
    }, py::arg("a").noconvert());
}
"""


def _compile(source: Path, folder: Path, *includes: str) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    flags = ["-O0", "-w", "-shared", "-fPIC", *(f"-I{path}" for path in includes)]
    command = ["g++", *flags, "-I" + sysconfig.get_path("include"), "-I" + numpy.get_include()]
    subprocess.run([*command, str(source), "-o", str(folder / source.stem) + suffix], check=True)


def _program(folder: Path, lines: str) -> None:
    script = f"import sys; sys.path.insert(0, {str(folder)!r})\n{lines}"
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


@pytest.mark.parametrize("first", ["hassium", "module"])
def test_typed_arguments_of_cython(first: str, tmp_path: Path) -> None:
    wanted("Cython")
    source = tmp_path / "typed_cython.pyx"
    source.write_text(CYTHON)
    subprocess.run([sys.executable, "-m", "cython", "-3", "--cplus", str(source)], check=True)
    _compile(source.with_suffix(".cpp"), tmp_path)
    lines = ["import hassium as np", "from typed_cython import total, same, Holder"]
    _program(
        tmp_path,
        "\n".join(lines if first == "hassium" else lines[::-1])
        + "\na = np.arange(3.0)\n"
        + "assert total(a, a) == 6 and total(a, b=a + 1) == 9 and same(a) is a\n"
        + "h = Holder(); assert h.keep(a) == 3 == Holder.keep(h, a)\n",
    )


def test_typed_arguments_of_pybind11(tmp_path: Path) -> None:
    pybind11 = wanted("pybind11")
    source = tmp_path / "typed_pybind.cpp"
    source.write_text(PYBIND)
    _compile(source, tmp_path, pybind11.get_include())
    _program(
        tmp_path,
        "import hassium as np, typed_pybind as t\na = np.arange(3.0)\nt.twice(a)\n"
        "assert t.size(a) == 3 and a.tolist() == [0, 2, 4]\n",
    )


LOOKED_FOR = """
import importlib.util, sys
import hassium
for _ in range(2):
    assert importlib.util.find_spec("multiprocessing.util") is not None
assert "hassium.interop.multiprocessing" not in sys.modules
import multiprocessing.util
print("hassium.interop.multiprocessing" in sys.modules)
"""


def test_a_module_that_was_only_looked_for_is_still_awaited() -> None:
    """Programs ask so whether a package is installed."""
    assert script(LOOKED_FOR) == ["True"]
