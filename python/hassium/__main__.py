"""``python -m hassium``: runs Python with ``import numpy`` meaning hassium in the user's own files.

The user's own files are all files outside the installed packages and the standard library.
"""

from __future__ import annotations

import subprocess
import sys

from hassium import _core, _launch


def main(words: list[str]) -> None:
    """Handles the options of our own; otherwise replaces this process by the program."""
    if words[:1] == ["--info"]:
        from hassium.tools.info import report

        print(report())
    elif words[:1] in (["--version"], ["-V"]):
        print(f"hassium {_core.__version__}")
    elif words[:1] in (["-h"], ["--help"]):
        print(_launch.USAGE)
    else:  # not started by Python's own -m
        options: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        _launch.become(options, words)


if __name__ == "__main__":
    main(sys.argv[1:])
