"""Display names of source lines: ``heat.py:12``, ``Cell In[4], line 9``; and their text."""

from __future__ import annotations

import linecache
import os
import sys
from typing import Any

UNKNOWN = "(no line of the program)"
MOST_CHARACTERS = 68  # of a line's text


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

    Bytes that are not UTF-8 are escaped, as in tracebacks.
    """
    if not site:
        return UNKNOWN
    file, number = split(site)
    if cell := _cell(file):
        return f"{cell}, line {number}"
    if os.path.isabs(file):
        file = min(file, os.path.relpath(file), key=len)
    return f"{file}:{number}".encode("utf-8", "backslashreplace").decode()


def source(site: str) -> str:
    """Returns the text of a line, shortened; empty if Python has none."""
    text = " ".join(linecache.getline(*split(site)).split()) if site else ""
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."
