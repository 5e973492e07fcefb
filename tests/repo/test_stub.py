"""The stub `_core.pyi` and the extension say the same: names both ways, parameters where known."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from repo.tree import ROOT

STUB = ROOT / "python/hassium/_core.pyi"
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def public(name: str) -> bool:
    return not name.startswith("_")


def stated(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What a stub's module or class body defines. Aliases with a leading underscore are its own."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, Definition | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):
            found |= {name.id: node for name in node.targets if isinstance(name, ast.Name)}
    return found


@pytest.fixture(scope="module")
def core() -> ModuleType:
    return importlib.import_module("hassium._core")


@pytest.fixture(scope="module")
def stub() -> dict[str, ast.stmt]:
    return stated(ast.parse(STUB.read_text()).body)


def members(node: ast.ClassDef, stub: dict[str, ast.stmt]) -> dict[str, ast.stmt]:
    """What a class of the stub states, itself and through private bases that exist there alone."""
    found: dict[str, ast.stmt] = {}
    for base in node.bases:
        parent = stub.get(base.id) if isinstance(base, ast.Name) else None
        found |= members(parent, stub) if isinstance(parent, ast.ClassDef) else {}
    return found | stated(node.body)


def classes(stub: dict[str, ast.stmt], core: ModuleType) -> list[tuple[ast.ClassDef, type]]:
    return [
        (node, getattr(core, name))
        for name, node in stub.items()
        if isinstance(node, ast.ClassDef) and hasattr(core, name)
    ]


def parameters(callable_object: object) -> list[str] | None:
    """Parameter names of a compiled callable, where it tells them."""
    doc = getattr(callable_object, "__doc__", None) or ""
    name = getattr(callable_object, "__name__", "")
    if doc.startswith("Overloaded function") or "Overloaded function." in doc.split("\n\n")[0]:
        return None
    if match := re.match(rf"{re.escape(name)}\((.*)\) -> ", doc.split("\n")[0]):
        arguments = ast.parse(f"def f({match.group(1)}): ...", mode="exec").body[0]
        assert isinstance(arguments, ast.FunctionDef)
        return names_of(arguments)
    if not doc:  # Python 3.13 tells the calling convention of these, without names
        return None
    try:
        signature = inspect.signature(callable_object)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return [name for name in signature.parameters if name != "self"]


def names_of(node: Definition) -> list[str]:
    every = [*node.args.posonlyargs, *node.args.args, node.args.vararg]
    every += [*node.args.kwonlyargs, node.args.kwarg]
    return [argument.arg for argument in every if argument is not None and argument.arg != "self"]


def test_names_of_the_module(core: ModuleType, stub: dict[str, ast.stmt]) -> None:
    actual = {name for name in vars(core) if public(name)}
    assert {name for name in stub if public(name)} == actual
    assert all(hasattr(core, name) for name in stub if name.startswith("__"))


# Methods that arrays have through NumPy until a version that the stub describes.
GONE = {"tostring", "ptp", "itemset", "newbyteorder"}


def test_names_of_the_classes(core: ModuleType, stub: dict[str, ast.stmt]) -> None:
    for node, actual in classes(stub, core):
        told = members(node, stub)
        names = {name for name in told if public(name)}
        assert names == {name for name in vars(actual) if public(name)} - GONE, node.name
        absent = [name for name in told if not hasattr(actual, name)]
        assert absent == [], node.name


def test_parameters(core: ModuleType, stub: dict[str, ast.stmt]) -> None:
    bodies: list[tuple[str, object, dict[str, ast.stmt]]] = [("_core", core, stub)]
    bodies += [(node.name, actual, members(node, stub)) for node, actual in classes(stub, core)]
    different = []
    for owner, actual, told in bodies:
        for name, node in told.items():
            # Slots name their parameters as CPython does, whatever the type means by them.
            if not isinstance(node, Definition) or not public(name):
                continue
            known = parameters(getattr(actual, name))
            wanted = names_of(node)
            # NumPy words many, from one of its versions on: there either side may leave them open.
            left_open = wanted[-2:] == ["args", "kwargs"] or "kwargs" in (known or ())
            if known is not None and known != wanted and not left_open:
                different.append((owner, name, known, wanted))
    assert different == []


def test_the_stub_is_installed(core: ModuleType) -> None:
    assert core.__file__ is not None
    package = Path(core.__file__).parent
    assert (package / "_core.pyi").is_file()
    assert (package / "py.typed").is_file()
