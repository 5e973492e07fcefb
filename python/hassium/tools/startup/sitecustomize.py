"""Imported by Python at startup if this folder is in PYTHONPATH: redirects imports.

Then the environment's own `sitecustomize` runs, if there is one. A Python without hassium, as in
another environment, runs unchanged and reports that.
"""

from __future__ import annotations

import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _redirect() -> None:
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _FOLDER]
    if importlib.util.find_spec("hassium") is None:  # the program's folder is added later
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(_FOLDER))))
    try:
        from hassium.tools import runner
    except ImportError as error:
        print(f"{sys.executable}: numpy is not replaced by hassium: {error}", file=sys.stderr)
        return
    runner.install()
    if "HASSIUM_REPORT" in os.environ:
        from hassium.tools.diagnosis import at_exit

        at_exit.start(os.environ.pop("HASSIUM_REPORT"))


def _run_other() -> None:
    name = "sitecustomize"
    own = sys.modules.pop(name)
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        sys.modules[name] = own


_redirect()
_run_other()
