"""``%load_ext hassium``: hassium in notebooks and in IPython's terminal.

%load_ext hassium   makes `import numpy` in cells and in the user's own modules give hassium
%hassium on | off   switches that; without argument it shows the state
%%hassium           runs one cell with hassium for NumPy, whatever was imported before
%%explain           runs a cell and shows what each of its lines cost, and why
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

_USAGE = "usage: %hassium [on | off], or %%hassium above the lines of a cell"
_CELL = "cell"  # argument of the line magics that stand for `%%hassium` and `%%explain`


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext hassium``."""
    from hassium.tools import runner

    magics = _Magics(shell)
    for name, function in (("hassium", magics.hassium), ("explain", magics.explain)):
        shell.register_magic_function(function, "line_cell", name)
    shell.input_transformer_manager.line_transforms.insert(0, _as_line_magics)
    runner.install()
    magics.say_of_names()


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext hassium``."""
    from hassium.tools import runner

    for kind in ("line", "cell"):
        for name in ("hassium", "explain"):
            shell.magics_manager.magics[kind].pop(name, None)
    transforms = shell.input_transformer_manager.line_transforms
    transforms[:] = [found for found in transforms if found is not _as_line_magics]
    runner.uninstall()
    package: Any = sys.modules["hassium"]
    package._is_unloaded = True  # a reload that follows, as `%reload_ext` does, needs no warning


def _as_line_magics(lines: list[str]) -> list[str]:
    """Replaces `%%hassium` and `%%explain` above a cell by line magics that begin it.

    IPython then runs the cell itself: `await`, a semicolon that hides the value, line numbers and
    errors are as without the magic.
    """
    found = list(lines)
    for k, line in enumerate(lines):
        name, _, rest = line.rstrip().partition(" ")
        if name not in ("%%hassium", "%%explain"):
            break
        words = " ".join([_CELL, rest]).strip()
        found[k] = f"get_ipython().run_line_magic({name[2:]!r}, {words!r})\n"
    return found


def _is_numpys(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "numpy"


def _is_ours(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "hassium"


class _Magics:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def hassium(self, line: str, cell: str | None = None) -> None:
        """``%hassium [on | off]``; ``%%hassium``: `import numpy` gives hassium."""
        from hassium.tools import runner

        word = line.strip()
        if cell is not None:
            self._run(f"%%hassium {line}", cell)
        elif word == _CELL:
            self._use_in_cell()
        elif word not in ("", "on", "off"):
            raise ValueError(_USAGE)
        elif word:
            runner.install() if word == "on" else runner.uninstall()
            self.say_of_names()
        else:
            found = "hassium" if runner.is_installed() else "NumPy"
            print(f"`import numpy` gives {found}")

    def explain(self, line: str, cell: str | None = None) -> None:
        """``%%explain``: runs the cell and shows what each of its lines cost."""
        from hassium.tools.explaining import explain, show

        if cell is not None:
            self._run(f"%%explain {line}", cell)
            return
        report = explain()
        report.__enter__()

        def finish() -> None:
            try:
                report.__exit__(None, None, None)
            except BaseException:
                self._shell.showtraceback()
            finally:
                show(report)

        self._at_end(finish)

    def say_of_names(self) -> None:
        """Reports names that keep NumPy's or hassium's modules from earlier imports."""
        from hassium.tools import runner

        other = _is_numpys if runner.is_installed() else _is_ours
        names = sorted(
            name for name, value in self._shell.user_ns.items() if name[0] != "_" and other(value)
        )
        if names:
            found = "NumPy" if runner.is_installed() else "hassium"
            print(f"{', '.join(names)}: still {found}; run the import again to change that")

    def _use_in_cell(self) -> None:
        """Puts hassium under the names of NumPy's modules, and restores them after the cell."""
        from hassium.tools import runner

        names = self._shell.user_ns
        before = {name for name, value in names.items() if _is_ours(value)}
        was_on = runner.is_installed()
        for name, value in list(names.items()):
            if name[0] != "_" and _is_numpys(value):
                names[name] = runner.twin_of(value.__name__)
        runner.install()

        def finish() -> None:
            if was_on:
                return
            runner.uninstall()
            for name, value in list(names.items()):
                if name[0] != "_" and _is_ours(value) and name not in before:
                    numpys = "numpy" + value.__name__.removeprefix("hassium")
                    names[name] = sys.modules.get(numpys, value)

        self._at_end(finish)

    def _at_end(self, finish: Callable[[], None]) -> None:
        """Calls `finish` when the running cell has ended, also by an error."""
        events = self._shell.events

        def end() -> None:
            events.unregister("post_execute", end)
            finish()

        events.register("post_execute", end)

    def _run(self, head: str, cell: str) -> None:
        """Runs a cell that a program passes to `run_cell_magic`."""
        self._shell.run_cell(f"{head}\n{cell}").raise_error()
