"""NumPy programs, unchanged and faster."""

from __future__ import annotations

from hassium._core import __version__

__all__ = ["__version__"]
