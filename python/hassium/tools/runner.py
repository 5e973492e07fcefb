"""``import numpy`` means hassium in the user's own files.

``__import__`` and the function behind ``importlib.import_module`` are replaced, and only imports by
the program's own files are redirected: installed packages keep NumPy itself, so they work on
exported memory.
"""

from __future__ import annotations

import builtins
import importlib
import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import hassium
from hassium import _core, _launch

# `import_module` itself is not replaced: programs pickle it by name.
_bootstrap: Any = importlib._bootstrap


def _paths(name: str) -> set[str]:
    """Returns the path as named and with symbolic links resolved, which installers make."""
    return {os.path.abspath(name), os.path.realpath(name)}


def _beginnings(folders: set[str]) -> tuple[str, ...]:
    return tuple(path + os.sep for folder in folders for path in _paths(folder))


def installed_folders() -> tuple[str, ...]:
    """Returns the folders of installed packages, and hassium's own."""
    paths = sysconfig.get_paths()
    folders = {paths["purelib"], paths["platlib"], *site.getsitepackages()}
    folders.add(site.getusersitepackages())
    folders.add(os.path.dirname(os.path.abspath(hassium.__file__)))
    return _beginnings(folders)


def standard_folders() -> tuple[str, ...]:
    """Returns the standard library's folders, which may contain those of installed packages."""
    paths = sysconfig.get_paths()
    return _beginnings({paths["stdlib"], paths["platstdlib"]})


class Redirect:
    """Replacements of Python's import functions that give the program hassium for numpy."""

    def __init__(self) -> None:
        self._plain = builtins.__import__, _bootstrap._gcd_import
        self._installed, self._standard = installed_folders(), standard_folders()
        self._own: dict[str, bool | None] = {}

    def start(self) -> None:
        """Replaces the functions, in C: tracebacks of import errors show no frame of ours."""
        plain, by_name = self._plain
        builtins.__import__ = _core.importer(plain, self.imported)
        _bootstrap._gcd_import = _core.importer(by_name, self.imported_by_name)

    def stop(self) -> None:
        """Restores Python's functions."""
        builtins.__import__, _bootstrap._gcd_import = self._plain

    def is_own(self, file: str) -> bool | None:
        """Returns whether `file` belongs to the user's program, or None if its caller decides."""
        if file not in self._own:
            paths = _paths(file)
            installed = any(path.startswith(self._installed) for path in paths)
            standard = any(path.startswith(self._standard) for path in paths)
            self._own[file] = None if standard and not installed else not installed
        return self._own[file]

    def asks(self, names: dict[str, Any], frame: FrameType | None) -> bool:
        """Returns whether the program requests an import by code with these globals in that frame.

        The main module is the program, whatever it is. The standard library (`timeit`, `runpy`) and
        code without a file (`exec`) import for their caller.
        """
        while True:
            if names.get("__name__") == "__main__":
                return True
            file = names.get("__file__")
            own = self.is_own(file) if isinstance(file, str) else None
            if own is not None or frame is None:
                return bool(own)
            names, frame = frame.f_globals, frame.f_back

    def imported(
        self,
        module: Any,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """Returns the result of importing `module`, NumPy or a part of it, for its importer."""
        if level or not _is_numpys(name) or not self.asks(globals or {}, sys._getframe().f_back):
            return module
        return twin_of(name) if fromlist else hassium

    def imported_by_name(self, module: Any, name: str, *_: Any) -> Any:
        """The same for ``importlib.import_module``."""
        asks = _is_numpys(name) and self.asks({}, sys._getframe().f_back)
        return twin_of(name) if asks else module


def _is_numpys(name: str) -> bool:
    return name == "numpy" or name.startswith("numpy.")


def twin_of(name: str) -> Any:
    """Returns hassium's module for NumPy's of that name."""
    holder: Any = hassium
    for part in name.split(".")[1:]:
        holder = getattr(holder, part)
    return holder


@contextmanager
def redirected() -> Iterator[None]:
    """Gives the user's files hassium for numpy within the context."""
    redirect = Redirect()
    redirect.start()
    try:
        yield
    finally:
        redirect.stop()


_redirect: Redirect | None = None
_watched = False


def install() -> None:
    """Gives the user's files hassium for numpy, until `uninstall` or the end of the process."""
    global _redirect, _watched
    if _redirect is None:
        _redirect = Redirect()
        _redirect.start()
    if not _watched:
        _watched = True
        from hassium.tools import children

        children.watch()
    follow_setting()


def uninstall() -> None:
    """Gives them NumPy again."""
    global _redirect
    if _redirect is not None:
        _redirect.stop()
        _redirect = None
    follow_setting()


def is_installed() -> bool:
    """Returns whether the user's files get hassium for numpy."""
    return _redirect is not None


def follow_setting() -> None:
    """Makes Pythons started from here on redirect imports as this one, if the setting says so."""
    rows = {row["name"]: row["value"] for row in _core.settings_table()}
    _launch.set_inherited(is_installed() and rows["children"] == "1")
