"""What `import hassium` loads on top of NumPy. benchmarks/import_time.py measures the time."""

from __future__ import annotations

import json
import subprocess
import sys

# Each of these alone would cost a good part of the budget of 100 ms.
HEAVY = {
    "matplotlib", "rich", "scipy", "pandas", "IPython", "numba", "jax", "pytest", "asyncio",
    "multiprocessing", "concurrent", "http", "email", "urllib.request", "unittest", "xml",
    "sqlite3", "pydoc", "numpy.testing", "numpy.f2py", "numpy.distutils", "importlib.metadata",
}  # fmt: skip
MODULES = 44

SCRIPT = """
import json, sys
import numpy
before = set(sys.modules)
import hassium
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded() -> list[str]:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    modules: list[str] = json.loads(run.stdout)
    return modules


def test_import_is_light() -> None:
    modules = loaded()
    assert "hassium._core" in modules
    heavy = [module for module in modules if module in HEAVY or module.split(".")[0] in HEAVY]
    assert heavy == []
    assert len(modules) <= MODULES, modules
