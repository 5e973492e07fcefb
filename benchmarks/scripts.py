"""Loads the scripts of the folder programs as modules; they are not a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parent / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def load(name: str) -> ModuleType:
    """Returns the module of a script, or of the scripts' common code, without running it."""
    key = f"benchmarks.programs.{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, FOLDER / f"{name}.py")
        if spec is None or spec.loader is None:
            raise ImportError(f"no program {name}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[key] = module
    return sys.modules[key]
