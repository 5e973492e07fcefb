"""``python -m hassium [-m module | script.py] args...``: runs a NumPy program on hassium.

``import numpy`` means hassium in the user's own files: those outside the installed packages and the
standard library. Everything is restored when the program ends.
"""

from __future__ import annotations

import sys

from hassium.tools.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
