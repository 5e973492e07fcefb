"""The text of ``python -m hassium --info``: what a bug report should contain."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

import numpy

import hassium
from hassium import _core
from hassium.tools.cache import cache_info


def _installed() -> str:
    """Returns the way of installation: a wheel, a local build, or the source tree in place."""
    folder = Path(hassium.__file__).parent
    for found in importlib.metadata.distributions(name="hassium"):
        if Path(str(found.locate_file("hassium"))) != folder:
            continue
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        return f"built from {origin['url']}" if "dir_info" in origin else "wheel"
    return "source tree"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def report() -> str:
    """Returns the text."""
    rows = {row["name"]: row for row in _core.settings_table()}
    changed = [
        f"{name}={row['value']}" for name, row in rows.items() if row["value"] != row["default"]
    ]
    variables = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("HASSIUM_") or name == "OMP_NUM_THREADS"
    )
    facts = {
        "hassium": f"{_core.__version__}, {_installed()}, {Path(hassium.__file__).parent}",
        "NumPy": f"{numpy.__version__}, {Path(numpy.__file__).parent}",
        "Python": f"{sys.version.split()[0]}, {sys.executable}",
        "system": f"{platform.platform()}, {_processor()}",
        "SIMD level": _core.simd_level(),
        "threads": f"{_core.thread_count()} of {_allowed()} processors allowed",
        "settings changed": " ".join(changed) or "none",
        "environment": " ".join(variables) or "nothing of ours",
        "cache": ", ".join(f"{count} {name}" for name, count in cache_info()._asdict().items()),
    }
    width = max(map(len, facts)) + 2
    return "\n".join(f"{name + ':':{width}}{value}" for name, value in facts.items())
