"""Settings, as a call and as a context manager; the table is in ``docs/settings.md``."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from types import TracebackType
from typing import Any

from hassium import _core


def _follow(names: Collection[str]) -> None:
    """Updates state outside the engine that depends on these settings."""
    if "children" in names:
        from hassium.tools import runner  # on demand: import stays cheap

        runner.follow_setting()


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _allowed(text: str) -> str:
    """Returns what a setting takes; a pair of numbers other than a flag's is a range."""
    least, _, most = text.partition(" ")
    is_range = least.isdigit() and most.isdigit() and text != "0 1"
    return f"{least} to {most}" if is_range else text


class config:
    """``config(name=value, ...)`` changes settings; as a context manager it restores them.

    Printed, it shows the settings that differ from their defaults; ``config.table()`` lists all,
    with the allowed values. An unknown name or value raises a ValueError with the allowed ones, and
    changes nothing. Operations recorded before run first.
    """

    def __init__(self, **changes: Any) -> None:
        before = {row["name"]: row["value"] for row in _core.settings_table()}
        self._before = {name: before[name] for name in changes if name in before}
        done: list[str] = []
        try:
            for name, value in changes.items():
                _core.set_setting(name, _text(value))
                done.append(name)
        except BaseException:
            for name in done:
                with suppress(Exception):  # the first error is the one to raise
                    _core.set_setting(name, before[name], back=True)
            raise
        _follow(changes)

    def __enter__(self) -> config:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        failed: BaseException | None = None
        for name, value in self._before.items():
            try:
                _core.set_setting(name, value, back=True)
            except BaseException as error_of_work:  # raised after all settings are restored
                failed = failed or error_of_work
        _follow(self._before)
        if failed is not None:
            raise failed

    def __repr__(self) -> str:
        rows = [row for row in self.table() if row["value"] != row["default"]]
        changed = (f"{row['name']}={row['value']!r}" for row in rows)
        return f"config({', '.join(changed)})"

    @staticmethod
    def table() -> list[dict[str, str]]:
        """Returns rows with ``name default allowed meaning value`` for every setting.

        `allowed` has the words to choose from, separated by blanks, or a range, as ``0 to 1024``.
        """
        return [row | {"allowed": _allowed(row["allowed"])} for row in _core.settings_table()]
