"""``python -m hassium`` restarts Python, with ``import numpy`` meaning hassium.

The process becomes a Python with the same options and the words after ``-m hassium``, so Python
itself starts the program: arguments, `__main__`, tracebacks, exit codes and an interactive prompt
are Python's. Only the first folder of PYTHONPATH differs: its `sitecustomize` redirects imports
(`tools/startup`). Pythons that the program starts inherit that variable.

This module loads neither NumPy nor the extension: Python finds `__main__` by importing the package
first, and the process is replaced there, before anything costly is loaded in vain.
"""

from __future__ import annotations

import os
import sys

# Handled here; any other first word is Python's own.
OPTIONS = frozenset(("-h", "--help", "--version", "-V", "--info"))
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools", "startup")

REPORT = "HASSIUM_REPORT"  # the HTML file to write, or empty: the terminal


_inherited = False


def is_inherited() -> bool:
    """Returns whether Pythons started from here on mean hassium by ``import numpy``."""
    return _inherited


def set_inherited(inherited: bool) -> None:
    """Sets that in the environment that they inherit."""
    global _inherited
    _inherited = inherited
    before = os.environ.get("PYTHONPATH")
    paths = [path for path in before.split(os.pathsep) if path != STARTUP] if before else []
    if inherited:
        paths.insert(0, STARTUP)
    if paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    elif before:
        del os.environ["PYTHONPATH"]


def split_command(command: list[str], count: int) -> tuple[list[str], list[str]] | None:
    """Splits ``python ... -m hassium ...`` into Python's options and the program's `count` words.

    Returns None if the command runs another module.
    """
    head, words = command[: len(command) - count], command[len(command) - count :]
    if len(head) > 1 and head[-1] == "hassium" and head[-2][:1] == "-" and head[-2][-1] == "m":
        *options, last = head[:-1]
    elif head and head[-1][:1] == "-" and head[-1].endswith("mhassium"):
        *options, last = head
        last = last.removesuffix("hassium")
    else:
        return None
    return (options if last == "-m" else [*options, last[:-1]]), words


def take_report(words: list[str]) -> list[str]:
    """Returns the program's words after ``--report [--html FILE]``; the new Python reports.

    That Python removes the variable from its environment, so programs it starts report nothing.
    """
    if words[:1] != ["--report"]:
        return words
    words, page = words[1:], ""
    if words[:1] == ["--html"] and words[1:]:
        words, page = words[2:], os.path.abspath(words[1])
    if not words:
        sys.exit("python -m hassium --report [--html FILE]: what is to be run?")
    os.environ[REPORT] = page
    return words


def become(options: list[str], words: list[str]) -> None:
    """Replaces this process by a Python with those options that runs the program."""
    if sys.flags.ignore_environment or sys.flags.no_site:
        sys.exit("python -m hassium: PYTHONPATH and site must be in force, not -E, -I or -S")
    words = take_report(words)
    set_inherited(True)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *options, *words])


def launch() -> None:
    """Starts the program if Python is looking for its `__main__`; the package calls this first."""
    if sys.argv[:1] != ["-m"] or (sys.argv[1:2] and sys.argv[1] in OPTIONS):
        return
    found = split_command(sys.orig_argv[1:], len(sys.argv) - 1)
    if found is not None:
        become(*found)
