"""``%load_ext hassium``: hassium in notebooks and in IPython's terminal.

%load_ext hassium   makes `import numpy` in cells and in the user's own modules give hassium
%hassium on | off   switches that; without argument it shows the state
%%hassium           runs one cell with hassium for NumPy, whatever was imported before
%%explain           runs a cell and shows what each of its lines cost, and why
"""

from __future__ import annotations

import sys
import types
from typing import Any

_USAGE = "usage: %hassium [on | off], or %%hassium above the lines of a cell"


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext hassium``."""
    from hassium.tools import runner

    magics = _Magics(shell)
    shell.register_magic_function(magics.hassium, "line_cell", "hassium")
    shell.register_magic_function(magics.explain, "cell", "explain")
    runner.install()
    magics.say_of_names()


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext hassium``."""
    from hassium.tools import runner

    for kind, name in (("line", "hassium"), ("cell", "hassium"), ("cell", "explain")):
        shell.magics_manager.magics[kind].pop(name, None)
    runner.uninstall()


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
        if cell is not None and not word:
            self._run_with_hassium(cell)
        elif cell is not None or word not in ("", "on", "off"):
            raise ValueError(_USAGE)
        elif word:
            runner.install() if word == "on" else runner.uninstall()
            self.say_of_names()
        else:
            found = "hassium" if runner.is_installed() else "NumPy"
            print(f"`import numpy` gives {found}")

    def explain(self, line: str, cell: str) -> None:
        """``%%explain``: runs the cell and shows what each of its lines cost."""
        from hassium.tools.explaining import explain, show

        report = explain()
        try:
            with report:
                self._run(cell)
        finally:
            show(report)

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

    def _run_with_hassium(self, cell: str) -> None:
        """Runs a cell with hassium under the names of NumPy's modules, and restores them."""
        from hassium.tools import runner

        names = self._shell.user_ns
        before = {name for name, value in names.items() if _is_ours(value)}
        was_on = runner.is_installed()
        for name, value in list(names.items()):
            if name[0] != "_" and _is_numpys(value):
                names[name] = runner.twin_of(value.__name__)
        runner.install()
        try:
            self._run(cell)
        finally:
            if not was_on:
                runner.uninstall()
                for name, value in list(names.items()):
                    if name[0] != "_" and _is_ours(value) and name not in before:
                        numpys = "numpy" + value.__name__.removeprefix("hassium")
                        names[name] = sys.modules.get(numpys, value)

    def _run(self, cell: str) -> None:
        """Runs the lines below the magic like the cell itself: names, line numbers, output.

        A nested cell would number its lines from the one below the magic, and show errors twice.
        """
        import ast  # on demand: import stays cheap

        shell = self._shell
        text = "\n" + shell.transform_cell(cell)
        number = shell.displayhook.prompt_count  # versions count before or after a cell
        file = shell.compile.cache(text, number, raw_code=cell)
        *body, last = shell.compile.ast_parse(text, file).body or [ast.Pass()]
        if isinstance(last, ast.Expr):
            parts: list[tuple[ast.mod, str]] = [
                (ast.Module(body, []), "exec"),
                (ast.Interactive([last]), "single"),
            ]
        else:
            parts = [(ast.Module([*body, last], []), "exec")]
        for part, mode in parts:
            exec(shell.compile(ast.fix_missing_locations(part), file, mode), shell.user_ns)
