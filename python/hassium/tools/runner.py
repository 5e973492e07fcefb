"""Runs a script or module with ``numpy`` meaning hassium in the user's own files.

Only ``__import__`` is replaced, and only imports that come from the user's files are redirected:
installed packages and the standard library keep the real NumPy, so they work on exported memory.
"""

from __future__ import annotations

import builtins
import os
import runpy
import site
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import hassium
from hassium import _core

USAGE = "usage: python -m hassium [-m module | script.py] [argument ...]"


def installed_folders() -> tuple[str, ...]:
    """Folders whose files are not the user's own."""
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages())
    folders.add(site.getusersitepackages())
    folders.add(os.path.dirname(os.path.abspath(hassium.__file__)))
    return tuple(os.path.realpath(folder) + os.sep for folder in folders)


class Redirect:
    """Its `importer` is an ``__import__`` that gives hassium to the user's files for numpy."""

    def __init__(self) -> None:
        self.plain = builtins.__import__
        self.importer = _core.importer(self.plain, self)
        self._folders = installed_folders()
        self._own: dict[str, bool] = {}

    def is_own(self, file: Any) -> bool:
        """Whether `file` belongs to the user's program."""
        if not isinstance(file, str):
            return False
        known = self._own.get(file)
        if known is None:
            known = not os.path.realpath(file).startswith(self._folders)
            self._own[file] = known
        return known

    def __call__(
        self,
        module: Any,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """What an import of `module`, called numpy-something, gives instead."""
        wanted = level == 0 and (name == "numpy" or name.startswith("numpy."))
        if not wanted or not self.is_own((globals or {}).get("__file__")):
            return module
        if not fromlist:
            return hassium
        holder: Any = hassium
        for part in name.split(".")[1:]:
            holder = getattr(holder, part)
        return holder


@contextmanager
def redirected() -> Iterator[None]:
    """Within the context the user's files get hassium for numpy."""
    redirect = Redirect()
    builtins.__import__ = redirect.importer
    try:
        yield
    finally:
        builtins.__import__ = redirect.plain


def main(arguments: list[str]) -> int:
    """Runs the program; returns the exit status. Exceptions of the program pass through."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr if not arguments else sys.stdout)
        return 0 if arguments else 2
    before = sys.argv[:], sys.path[:]
    try:
        with redirected():
            if arguments[0] == "-m":
                if len(arguments) < 2:
                    print(USAGE, file=sys.stderr)
                    return 2
                sys.argv = arguments[1:]
                sys.path.insert(0, os.getcwd())
                runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
            else:
                script = arguments[0]
                if not os.path.exists(script):
                    print(f"python -m hassium: no file {script!r}", file=sys.stderr)
                    return 2
                sys.argv = arguments
                sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
                runpy.run_path(script, run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before[0], before[1]
    return 0
