"""Settings, as a call and as a context manager; the table is in ``docs/settings.md``."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from hassium import _core


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


class config:
    """``config(name=value, ...)`` changes settings; as a context manager it restores them.

    Settings and allowed values: ``config.table()``. An unknown name or value raises ValueError that
    names it and what is allowed, and changes nothing. Everything recorded before runs first.
    """

    def __init__(self, **changes: Any) -> None:
        before = {row["name"]: row["value"] for row in _core.settings_table()}
        self._before = {name: before[name] for name in changes if name in before}
        done: list[str] = []
        try:
            for name, value in changes.items():
                _core.set_setting(name, _text(value))
                done.append(name)
        except ValueError:
            for name in done:
                _core.set_setting(name, before[name])
            raise

    def __enter__(self) -> config:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name, value in self._before.items():
            _core.set_setting(name, value)

    @staticmethod
    def table() -> list[dict[str, str]]:
        """Rows with ``name default allowed meaning value`` for every setting."""
        return _core.settings_table()
