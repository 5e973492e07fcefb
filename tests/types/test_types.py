"""Type checkers say of programs that import hassium what they say with NumPy."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

import hassium
from hassium import _imports
from packages import wanted

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
PACKAGE = Path(hassium.__file__).parent


def modules_with_types() -> list[str]:
    """NumPy's modules that the package has types of, by their names after the package's."""
    paths = [path for suffix in ("py", "pyi") for path in PACKAGE.rglob(f"*.{suffix}")]
    return sorted(
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
        if re.search(r"^from numpy\.[\w.]+ import \*$", path.read_text(), re.M)
    )


def every_public_name() -> str:
    """A program that imports every module with types, and uses all of its names."""
    lines = []
    with warnings.catch_warnings():  # of names that NumPy will drop
        warnings.simplefilter("ignore")
        for k, module in enumerate(modules_with_types()):
            found = importlib.import_module(f"numpy.{module}")
            lines.append(f"import numpy.{module} as m{k}")
            lines += [
                f"m{k}.{name}"
                for name in dir(found)
                if name[0] != "_" and not inspect.ismodule(getattr(found, name))
            ]
    return "\n".join([*lines, ""])


def imports_of_hassium(text: str) -> str:
    return re.sub(r"^(import|from) numpy\b", r"\1 hassium", text, flags=re.M)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The programs as they are, and with hassium for NumPy."""
    found = {name: tmp_path_factory.mktemp(name) for name in ("numpy", "hassium")}
    for program in PROGRAMS:
        text = program.read_text()
        (found["numpy"] / program.name).write_text(text)
        (found["hassium"] / program.name).write_text(imports_of_hassium(text))
    text = every_public_name()
    (found["numpy"] / "names.py").write_text(text)
    (found["hassium"] / "names.py").write_text(imports_of_hassium(text))
    return found


def as_numpys(text: str) -> str:
    """Where a checker names the module that a program imports, or says why it lacks a name."""
    return re.sub(r"Module .* attribute .*\[", "Module [", text.replace("hassium", "numpy"))


def test_programs_import_hassium(folders: dict[str, Path]) -> None:
    for program in folders["hassium"].glob("*.py"):
        text = program.read_text()
        assert "hassium" in text
        assert not re.search(r"^(import|from) numpy", text, re.M)


def by_mypy(folder: Path) -> list[str]:
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--cache-dir=.cache"]
    environment = dict(os.environ)
    if "site-packages" not in PACKAGE.parts:  # where mypy looks by itself
        environment["MYPYPATH"] = str(PACKAGE.parent)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", *options, "."],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    assert done.stderr == ""
    return [as_numpys(line) for line in done.stdout.splitlines()]


def test_mypy(folders: dict[str, Path]) -> None:
    wanted("mypy")
    found = {name: by_mypy(folder) for name, folder in folders.items()}
    assert any("mistakes.py" in line and "error" in line for line in found["numpy"])
    assert any("Revealed type" in line for line in found["numpy"])
    assert found["hassium"] == found["numpy"]


def by_basedpyright(folder: Path) -> list[tuple[object, ...]]:
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "strict"})
    )
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    rows = [
        (
            Path(row["file"]).name,
            row["range"]["start"]["line"],
            row["severity"],
            row.get("rule"),
            as_numpys(row["message"]),
        )
        for row in json.loads(done.stdout)["generalDiagnostics"]
    ]
    return sorted(rows, key=str)


def test_basedpyright(folders: dict[str, Path]) -> None:
    wanted("basedpyright")
    found = {name: by_basedpyright(folder) for name, folder in folders.items()}
    assert any(row[0] == "mistakes.py" and row[2] == "error" for row in found["numpy"])
    assert found["hassium"] == found["numpy"]


def names_in(stub: Path) -> set[str]:
    """Names that a stub says it exports."""
    tree = ast.parse(stub.read_text())
    return {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }


def test_own_names_have_types() -> None:
    own = set(dir(hassium)) - set(dir(numpy))
    assert own <= names_in(PACKAGE / "__init__.pyi")


@pytest.mark.parametrize("name", modules_with_types())
@pytest.mark.filterwarnings("ignore")  # some of NumPy's modules are deprecated
def test_modules_with_types_can_be_imported(name: str) -> None:
    """As attributes lead to them, and not from the files with their types."""
    module = importlib.import_module(f"hassium.{name}")
    assert importlib.util.find_spec(f"numpy.{name}")
    file = getattr(module, "__file__", None)
    assert name in _imports.OWN or file is None or PACKAGE not in Path(file).parents
    assert module.__spec__ is None or module.__spec__.loader is not None
    holder: object = hassium
    for part in name.split("."):
        holder = getattr(holder, part)
    assert holder is module
    assert dir(module)
