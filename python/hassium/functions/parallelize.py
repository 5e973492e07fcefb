"""Work of NumPy's routines that run without the interpreter's lock, on all cores."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from hassium import _core


def share(work: Callable[[slice], None], count: int) -> None:
    """Runs `work` on equal parts of `count`, one of them on this thread.

    What it raises is raised here, of several parts by the first one.
    """
    parts = min(_core.thread_count(), count)
    cuts = [slice(k * count // parts, (k + 1) * count // parts) for k in range(parts)]
    failures: list[BaseException | None] = [None] * parts

    def guarded(part: int) -> None:
        try:
            work(cuts[part])
        except BaseException as failure:  # told on the thread that asked
            failures[part] = failure

    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(guarded, part))
        for part in range(1, parts)
    ]
    for thread in threads:
        thread.start()
    guarded(0)
    for thread in threads:
        thread.join()
    for failure in failures:
        if failure is not None:
            raise failure
