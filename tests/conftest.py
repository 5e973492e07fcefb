"""What tests count does not depend on the tests that ran before them in the process."""

from __future__ import annotations

import hassium


def pytest_configure() -> None:
    """Programs that are planned anew again and again, as in tests, would keep later ones from
    recording."""
    hassium.config(pause="off")
