"""Processes of ``multiprocessing`` compute on one thread each, unless a setting says otherwise.

A pool of processes takes all cores, as NumPy's programs do with it; as many threads in every one
would get into each other's way. joblib, dask and ``concurrent.futures`` start their processes
through that package.
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
    """For the processes that this one starts by a fork, and for this one if it is such a process.

    The package calls what is registered when a forked process begins. One that it starts as a new
    Python is known by the last word of its command before it knows itself.
    """
    util: Any = importlib.import_module("multiprocessing.util")
    process: Any = importlib.import_module("multiprocessing.process")
    util.register_after_fork(_limit, _limit)
    if process.parent_process() is not None or sys.orig_argv[-1:] == ["--multiprocessing-fork"]:
        _limit()
