"""No compiler forms multiply-adds of its own: bits would depend on which ones it sees."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from repo.tree import build_tree


def contraction(command: dict[str, Any]) -> str:
    """The option that decides, the last one."""
    options = [word for word in shlex.split(command["command"]) if word.startswith("-ffp-contract")]
    return options[-1] if options else "the compiler's default"


def test_nothing_is_compiled_with_contraction() -> None:
    commands = json.loads((build_tree() / "compile_commands.json").read_text())
    assert commands
    allowing = {
        Path(command["output"]).name
        for command in commands
        if contraction(command) != "-ffp-contract=off"
    }
    assert allowing == set()


def test_the_last_option_decides() -> None:
    assert contraction({"command": "c++ -ffp-contract=off -c a.cpp"}) == "-ffp-contract=off"
    later = "c++ -ffp-contract=off -O2 -ffp-contract=fast -c a.cpp"
    assert contraction({"command": later}) == "-ffp-contract=fast"
    assert contraction({"command": "c++ -c a.cpp"}) == "the compiler's default"
