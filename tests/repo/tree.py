"""What the tests of the repository itself share: where files are and how to read them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
CPP_SUFFIXES = {".cpp", ".hpp", ".inc", ".def"}


def files(*folders: str, suffixes: set[str]) -> list[Path]:
    """Files of the tree under the folders, in a stable order."""
    found = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts
    ]
    return sorted(found)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


_NOT_CODE = re.compile(
    r"""
    //[^\n]*                                  # line comment
  | /\*.*?\*/                                 # block comment
  | R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"   # raw string
  | "(?:\\.|[^"\\\n])*"                       # string
  | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'      # character, not the separator in 1'000
    """,
    re.VERBOSE | re.DOTALL,
)


def without_comments(text: str) -> str:
    """C++ text with comments removed and strings kept; line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return "\n" * found.count("\n") if found[0] == "/" else found

    return _NOT_CODE.sub(blank, text)


def code_only(text: str) -> str:
    """C++ text with comments, strings and preprocessor lines blanked; line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        lines = "\n" * found.count("\n")
        return lines if found[0] == "/" else f'""{lines}'

    text = _NOT_CODE.sub(blank, text)
    return re.sub(
        r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.M
    )


def build_tree() -> Path:
    """The directory of the last build for this machine, without sanitizers; skips if none."""
    trees = [
        cache.parent
        for cache in ROOT.glob("build*/**/CMakeCache.txt")
        if (cache.parent / "compile_commands.json").exists()
        and "\nHASSIUM_SANITIZE:STRING=\n" in (settings := cache.read_text())
        and "\nCMAKE_TOOLCHAIN_FILE:" not in settings
    ]
    if not trees:
        missing("no build directory in the tree: hassium was installed from elsewhere")
    return max(trees, key=lambda tree: (tree / "compile_commands.json").stat().st_mtime)


def missing(reason: str) -> NoReturn:
    """Skips the test; fails it where the caller said that a build directory must be there."""
    if os.environ.get("TESTS_REQUIRE_BUILD_TREE"):
        pytest.fail(reason)
    pytest.skip(reason)


def object_files(tree: Path, library: str) -> list[Path]:
    """Object files of a library in a build directory, as the build system lists them."""
    commands = json.loads((tree / "compile_commands.json").read_text())
    outputs = (Path(command["output"]) for command in commands)
    return [
        tree / output
        for output in outputs
        if f"{library}.dir" in output.parts and output.suffix == ".o"
    ]
