"""Programs that tests run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

# How many times as long as on a processor a program may take: more under emulation.
PATIENCE = float(os.environ.get("TEST_PATIENCE", "1"))


def script(text: str, *words: str, seconds: int = 120) -> list[str]:
    """The words that a program prints in a process of its own."""
    command = [sys.executable, "-c", text, *words]
    wait = seconds * PATIENCE
    done = subprocess.run(command, capture_output=True, text=True, timeout=wait, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
