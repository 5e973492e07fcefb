"""The package is imported a second time: what belongs to the process stays as it is."""

from __future__ import annotations

import subprocess
import sys

import pytest

RELOAD = """
import importlib
import os
import sys
import threading
import warnings

import hassium as np

finders = list(sys.meta_path)
before = vars(warnings.catch_warnings)["__enter__"]
for _ in range(2):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        {again}
    assert [w.category for w in caught] == [UserWarning], caught
    assert caught[0].filename == {filename}, caught[0].filename
assert sys.meta_path == finders
assert vars(warnings.catch_warnings)["__enter__"] is before

# Nothing in the parent waits for a fork that has taken place.
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
totals = []
thread = threading.Thread(target=lambda: totals.append(float((np.arange(1e5) + 1).sum())))
thread.daemon = True
thread.start()
thread.join(60)
assert totals == [5000050000.0]
"""
AGAIN = {
    "reloaded": ("importlib.reload(np)", "importlib.__file__"),
    "imported anew": (
        "for name in [k for k in sys.modules if k.partition('.')[0] == 'hassium']: "
        "del sys.modules[name]\n        import hassium as np",
        "'<string>'",
    ),
}


@pytest.mark.parametrize("how", AGAIN)
def test_import_again(how: str) -> None:
    again, filename = AGAIN[how]
    program = RELOAD.format(again=again, filename=filename)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
