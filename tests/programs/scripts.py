"""The scripts of benchmarks/programs as modules; they are no package, like any user's scripts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def load(name: str) -> ModuleType:
    """The module of a script, which does not run it."""
    key = f"hassium_benchmark_{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, FOLDER / f"{name}.py")
        assert spec is not None, name
        assert spec.loader is not None, name
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[key] = module
    return sys.modules[key]
