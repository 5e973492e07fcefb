"""Packages that some tests want: skipped where one is missing, unless all are required."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def wanted(name: str) -> Any:
    """The module of that name; with TESTS_REQUIRE_PACKAGES set it is an error to lack it."""
    if os.environ.get("TESTS_REQUIRE_PACKAGES"):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed")
