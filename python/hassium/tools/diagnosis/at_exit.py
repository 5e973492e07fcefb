"""``python -m hassium --report``: reports on a whole program when it ends."""

from __future__ import annotations

import atexit
import os
import sys

from hassium.tools.explaining import explain, show


def start(page: str) -> None:
    """Starts `explain`; at exit writes a table to standard error, or HTML to the file `page`.

    If that file cannot be written, the table is.
    """
    report, process = explain(), os.getpid()
    report.__enter__()

    def finish() -> None:
        if os.getpid() != process:  # a forked child, which ends like its parent
            return
        report.__exit__(None, None, None)
        if not page:
            show(report, sys.stderr)
            return
        from hassium.tools.diagnosis.page import document

        title = " ".join(["hassium:", *map(os.path.basename, sys.argv[:1]), *sys.argv[1:]])
        try:
            with open(page, "w", encoding="utf-8") as file:
                file.write(document(report, title))
        except OSError as error:  # the program may have removed the folder
            print(f"hassium: cannot write {page}: {error.strerror}", file=sys.stderr)
            show(report, sys.stderr)
        else:
            print(f"hassium: the report is in {page}", file=sys.stderr)

    atexit.register(finish)
