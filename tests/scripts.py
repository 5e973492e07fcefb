"""Programs that tests run in a process of their own."""

from __future__ import annotations

import subprocess
import sys


def script(text: str, *words: str, seconds: int = 120) -> list[str]:
    """The words that a program prints in a process of its own."""
    command = [sys.executable, "-c", text, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
