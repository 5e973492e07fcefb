"""Wall time by source line of one thread, by sampling."""

from __future__ import annotations

import sys
import sysconfig
import threading
import time
from types import FrameType

INTERVAL = 0.005  # seconds between samples: Python switches threads no faster


class LineClock:
    """Samples the thread that starts it; a time is accurate to some intervals.

    A sample that is late, because the thread kept the GIL, counts as long as it was waited for: the
    thread is at the same line still when it gives the GIL away.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}  # by ``file:line``
        self._thread = threading.get_ident()
        self._libraries = _libraries()
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._run, name="hassium-line-clock", daemon=True)

    def start(self) -> None:
        self._sampler.start()

    def stop(self) -> dict[str, float]:
        """Returns the seconds by line."""
        self._done.set()
        self._sampler.join()
        return self.seconds

    def _run(self) -> None:
        last = time.perf_counter()
        while not self._done.wait(INTERVAL):
            frame = sys._current_frames().get(self._thread)
            now = time.perf_counter()
            if frame is not None:
                site = self._line(frame)
                self.seconds[site] = self.seconds.get(site, 0.0) + now - last
            last = now

    def _line(self, innermost: FrameType) -> str:
        """Returns the innermost line outside of libraries, or the innermost of all."""
        frame: FrameType | None = innermost
        while frame is not None and frame.f_code.co_filename.startswith(self._libraries):
            frame = frame.f_back
        shown = frame or innermost
        return f"{shown.f_code.co_filename}:{shown.f_lineno}"


def _libraries() -> tuple[str, ...]:
    """Returns the beginnings of file names that are no part of the program."""
    paths = sysconfig.get_paths()
    package = __file__.rpartition("/tools/")[0]
    return (package, *(paths[name] for name in ("stdlib", "purelib", "platlib")), "<frozen ")
