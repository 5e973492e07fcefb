"""Display names of source lines: ``heat.py:12``, ``Cell In[4], line 9``; and their text."""

from __future__ import annotations

import functools
import linecache
import os
import sys
from typing import Any

UNKNOWN = "(no line of the program)"
MOST_CHARACTERS = 68  # of a line's text
MOST_OF_PATH = 40  # characters of a path; of longer ones the last two parts are shown


def split(site: str) -> tuple[str, int]:
    """Splits ``file:line``."""
    file, _, number = site.rpartition(":")
    return file, int(number) if number.isdigit() else 0


def ipython() -> Any:
    """Returns the IPython shell that runs this code, or None."""
    module: Any = sys.modules.get("IPython")
    return module and module.get_ipython()


def in_notebook() -> bool:
    """Returns whether a Jupyter kernel runs this code, so that HTML is displayed."""
    return getattr(ipython(), "kernel", None) is not None


def _cell(file: str) -> str | None:
    """Returns the name of a cell in IPython's tracebacks, by its compiled file name."""
    running = ipython()
    found = running and running.compile.format_code_name(file)
    return " ".join(found) if found else None


def shown(site: str) -> str:
    """Returns the display name of a line: absolute or relative path, whichever is shorter.

    Of a long path, as of an installed package's, the last two parts stay. Bytes that are not UTF-8
    are escaped, as in tracebacks.
    """
    if not site:
        return UNKNOWN
    file, number = split(site)
    if cell := _cell(file):
        return f"{cell}, line {number}"
    if os.path.isabs(file):
        file = min(file, os.path.relpath(file), key=len)
    if len(file) > MOST_OF_PATH and file.count(os.sep) > 1:
        file = os.sep.join(["...", *file.split(os.sep)[-2:]])
    return f"{file}:{number}".encode("utf-8", "backslashreplace").decode()


def line_of(site: str) -> str:
    """Returns the text of a line; empty if Python has none."""
    return " ".join(linecache.getline(*split(site)).split()) if site else ""


@functools.lru_cache(64)
def _repeatable(lines: tuple[str, ...]) -> list[range] | None:
    """Returns the lines of each loop, comprehension and function; None if this is no program."""
    import ast  # on demand: import stays cheap

    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    loops = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
    found = [node for node in ast.walk(tree) if isinstance(node, loops + functions)]
    return [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in found]


def can_repeat(site: str) -> bool:
    """Returns whether a line can have run more than once: in a loop, comprehension or function.

    True as well if Python has no text of it.
    """
    file, number = split(site)
    found = _repeatable(tuple(linecache.getlines(file)))
    return found is None or any(number in lines for lines in found)


def source(site: str) -> str:
    """Returns the text of a line, shortened; empty if Python has none."""
    text = line_of(site)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."
