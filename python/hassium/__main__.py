"""``python -m hassium``: runs Python with ``import numpy`` meaning hassium in the user's own files.

The user's own files are all files outside the installed packages and the standard library.
"""

from __future__ import annotations

import subprocess
import sys

from hassium import _core, _launch

USAGE = """usage: python -m hassium [option ...] [-c text | -m module | script | -] [argument ...]
       python -m hassium --report [--html FILE] [-c text | -m module | script] [argument ...]
       python -m hassium --info | --version

Runs Python, whose options these are, with `import numpy` meaning hassium in the files of the
program. Pythons that the program starts are like it, unless the setting `children` is 0
(HASSIUM_CHILDREN=0).

--report: at the end a table of the program's lines, on standard error or as HTML: time, memory
traffic, what shared a loop, what did not and why, and what to write instead."""


def main(words: list[str]) -> None:
    """Handles the options of our own; otherwise replaces this process by the program."""
    if words[:1] == ["--info"]:
        from hassium.tools.info import report

        print(report())
    elif words[:1] in (["--version"], ["-V"]):
        print(f"hassium {_core.__version__}")
    elif words[:1] in (["-h"], ["--help"]):
        print(USAGE)
    else:  # not started by Python's own -m
        options: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        _launch.become(options, words)


if __name__ == "__main__":
    main(sys.argv[1:])
