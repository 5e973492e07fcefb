"""What makes a second build compile only what changed, though pip builds in a new environment and
begins with a new cache of CMake's."""

from __future__ import annotations

import json
import shlex
from itertools import pairwise
from pathlib import Path

from repo.tree import SRC, build_tree

INCLUDES = {"-I", "-isystem", "-include"}


def commands() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((build_tree() / "compile_commands.json").read_text())
    return [command for command in found if Path(command["file"]).is_relative_to(SRC)]


def included(command: str) -> set[Path]:
    """The directories and files that a command has the compiler include."""
    words = shlex.split(command)
    apart = {after for word, after in pairwise(words) if word in INCLUDES}
    return {Path(word) for word in apart | {word[2:] for word in words if word[:2] == "-I"} if word}


def test_commands_include_nothing_of_a_temporary_environment() -> None:
    paths = set().union(*(included(command["command"]) for command in commands()))
    assert SRC in paths
    lasting = (SRC, build_tree())
    elsewhere = {path for path in paths if not any(path.is_relative_to(of) for of in lasting)}
    assert {path for path in elsewhere if not (path / "Python.h").exists()} == set()


def test_objects_are_kept_where_a_new_cache_begins() -> None:
    # `cmake --fresh` and isolated builds delete CMakeFiles at the top of the build directory.
    tree = build_tree()
    outputs = {(tree / command["output"]).relative_to(tree).parts[:2] for command in commands()}
    assert outputs == {("src", "CMakeFiles")}
