"""threadpoolctl counts and limits the threads of hassium as those of BLAS and OpenMP.

Programs with several workers in one process, as scikit-learn and joblib, set limits there.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from hassium import _core


def apply() -> None:
    """Registers the extension as a library with threadpoolctl."""
    threadpoolctl: Any = importlib.import_module("threadpoolctl")

    class Controller(threadpoolctl.LibController):  # type: ignore[misc]
        user_api = internal_api = "hassium"
        filename_prefixes = (os.path.basename(_core.__file__).partition(".")[0],)
        # Other extensions have a file of that name too.
        check_symbols = ("hassium_num_threads",)

        def get_num_threads(self) -> int:
            return _core.thread_count()

        def set_num_threads(self, num_threads: int) -> None:
            _core.set_setting("threads", str(num_threads))

        def get_version(self) -> str:
            return _core.__version__

    threadpoolctl.register(Controller)
