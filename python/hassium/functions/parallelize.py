"""Runs NumPy's routines that release the GIL on all cores."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from hassium import _core


def share(work: Callable[[slice], None], count: int) -> None:
    """Runs `work` on equal parts of `count`, one of them on this thread.

    Raises what `work` raises; of several parts, what the first one raises.
    """
    parts = min(_core.thread_count(), count)
    cuts = [slice(k * count // parts, (k + 1) * count // parts) for k in range(parts)]
    failures: list[BaseException | None] = [None] * parts

    def guarded(part: int) -> None:
        try:
            work(cuts[part])
        except BaseException as failure:  # raised on the calling thread
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
