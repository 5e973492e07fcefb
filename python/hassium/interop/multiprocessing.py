"""Processes of ``multiprocessing`` compute on one thread each, unless a setting says otherwise.

A pool of processes uses all cores, as in NumPy programs; as many threads in every process would
oversubscribe them. joblib, dask and ``concurrent.futures`` start their processes through that
package.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from hassium import _core


def _limit(_: object = None) -> None:
    rows = {row["name"]: row["value"] for row in _core.settings_table()}
    if rows["threads"] == "0":
        _core.set_setting("threads", "1", later=True)


def apply() -> None:
    """Limits forked processes, and this one if it is a child process.

    The package calls registered functions when a forked process begins. A spawned process is
    recognized by the last word of its command, before the package knows.
    """
    util: Any = importlib.import_module("multiprocessing.util")
    process: Any = importlib.import_module("multiprocessing.process")
    util.register_after_fork(_limit, _limit)
    if process.parent_process() is not None or sys.orig_argv[-1:] == ["--multiprocessing-fork"]:
        _limit()
