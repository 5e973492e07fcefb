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

USAGE = """usage: python -m hassium [option ...] [-c text | -m module | script | -] [argument ...]
       python -m hassium --report [--html FILE] [-c text | -m module | script] [argument ...]
       python -m hassium --info | --version

Runs Python, whose options these are, with `import numpy` meaning hassium in the files of the
program. Pythons that the program starts are like it, unless the setting `children` is 0
(HASSIUM_CHILDREN=0).

--report: at the end a table of the program's lines, on standard error, or with --html as a page in
that file: time, memory traffic, what shared a loop, what did not and why, and what to write
instead."""

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


def refused(why: str) -> SystemExit:
    """Writes one line to standard error; returns the exit with the status of usage errors, 2."""
    print(f"python -m hassium --report: {why}", file=sys.stderr)
    return SystemExit(2)


def take_report(words: list[str]) -> list[str]:
    """Returns the program's words after ``--report [--html FILE]``; the new Python reports.

    The two options may come in any order. That Python removes the variable from its environment, so
    programs it starts report nothing.
    """
    asked, page, rest = False, "", list(words)
    while rest and rest[0].partition("=")[0] in ("--report", "--html"):
        name, equals, value = rest.pop(0).partition("=")
        if name == "--report":
            if equals:
                raise refused("it takes no value")
            asked = True
            continue
        if not equals:
            value = rest.pop(0) if rest else ""
        if not value or value.startswith("-"):
            raise refused("--html needs the name of the file to write")
        page = value
    if len(rest) == len(words):
        return words
    if rest[:1] in (["-h"], ["--help"]):
        print(USAGE)
        sys.exit(0)
    if not asked:
        raise refused("--html goes with it")
    if not rest:
        raise refused("what is to be run?")
    if page:
        check_page(page)
    os.environ[REPORT] = page and os.path.abspath(page)
    return rest


def check_page(page: str) -> None:
    """Refuses a file that cannot be written, before the program runs, and one of Python's."""
    if page.endswith(".py"):
        raise refused(f"{page} would be overwritten: --html needs the name of the file to write")
    is_new = not os.path.exists(page)
    try:
        with open(page, "a"):
            pass
        if is_new:
            os.remove(page)
    except OSError as error:
        raise refused(f"cannot write {page}: {error.strerror}") from None


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
