"""Warns if a program starts a Python in which ``import numpy`` will not mean hassium.

Such a Python is started with ``-E``, ``-I`` or ``-S``, or with an environment of its own, so it
does not read the variable that redirects imports (`hassium/_launch.py`). Python reports started
programs to audit hooks; nothing is replaced.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from hassium import _launch
from hassium.tools import runner

_PYTHON = re.compile(r"python[0-9.]*(\.exe)?")
_SHELLS = ("sh", "bash", "dash")
_UNREAD = "EIS"  # options with which Python ignores PYTHONPATH, or skips site
_WITH_WORD = "WX"  # options that may take the next word
_LAST = "cm"  # options after which all words are the program's

Environment = Mapping[Any, Any] | None


def _command(event: str, arguments: tuple[Any, ...]) -> tuple[Any, Environment] | None:
    """Returns the command and the environment of the started program."""
    match event:
        case "subprocess.Popen":
            return arguments[1], arguments[3]
        case "os.exec" | "os.posix_spawn":
            return arguments[1], arguments[2]
        case "os.system":
            return arguments[0], None
    return None


def _words(command: Any) -> list[str]:
    """Returns the words of a command, of which a shell may be the first."""
    if isinstance(command, str | bytes):
        try:
            return shlex.split(os.fsdecode(command))
        except ValueError:  # an open quotation is the shell's error
            return []
    if not isinstance(command, Sequence):
        return []
    words = [os.fsdecode(word) for word in command if isinstance(word, str | bytes | os.PathLike)]
    if len(words) > 2 and os.path.basename(words[0]) in _SHELLS and words[1] == "-c":
        return _words(words[2])
    return words


def _interpreter(words: Sequence[str]) -> Sequence[str]:
    """Returns the command that runs a script, from its first line; other words unchanged."""
    try:
        with open(shutil.which(words[0]) or "", "rb") as script:
            line = os.fsdecode(script.readline(256))
        head = shlex.split(line[2:]) if line.startswith("#!") else []
    except (OSError, ValueError):
        return words
    if head and os.path.basename(head[0]) == "env":
        del head[: 2 if head[1:2] == ["-S"] else 1]
    return [*head, *words]


def _option(words: Sequence[str]) -> str | None:
    """Returns the first option that keeps Python from reading PYTHONPATH."""
    rest = iter(words[1:])
    for word in rest:
        if word[:1] != "-" or word[:2] in ("-", "--"):
            return None
        for k, letter in enumerate(word[1:], 2):
            if letter in _UNREAD:
                return f"-{letter}"
            if letter in _LAST:
                return None
            if letter in _WITH_WORD:
                if k == len(word):
                    next(rest, None)
                break
    return None


def _lack(words: Sequence[str], environment: Environment) -> str | None:
    """Returns what a started Python lacks, or None if it will mean hassium or is not Python."""
    command = _interpreter(words) if words else words
    if not command or not _PYTHON.fullmatch(os.path.basename(command[0])):
        return None
    if option := _option(command):
        return f"with {option}"
    if environment is None:
        paths: Any = os.environ.get("PYTHONPATH", "")
    else:
        paths = environment.get("PYTHONPATH", environment.get(b"PYTHONPATH", ""))
    if _launch.STARTUP not in os.fsdecode(paths).split(os.pathsep):
        return f"without {_launch.STARTUP} in its PYTHONPATH"
    return None


def _depth() -> int:
    """Returns the number of frames up to the program, skipping the standard library."""
    library = (__file__, "<frozen ", *runner.standard_folders())
    depth, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(library):
        depth, frame = depth + 1, frame.f_back
    return depth


def _observe(event: str, arguments: tuple[Any, ...]) -> None:
    started = _command(event, arguments)
    if started is None or not _launch.is_inherited():
        return
    words = _words(started[0])
    if lack := _lack(words, started[1]):
        text = f"{words[0]} is started {lack}: its `import numpy` does not mean hassium"
        warnings.warn(text, RuntimeWarning, stacklevel=_depth())


def watch() -> None:
    """Warns of such Pythons until the end of the process."""
    sys.addaudithook(_observe)
