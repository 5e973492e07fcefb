"""Formats times, bytes and counts for display."""

from __future__ import annotations


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    unit_size, unit = next((row for row in units if value >= row[0]), units[-1])
    scaled = value / unit_size
    return f"{scaled:.3g} {unit}" if scaled < 1000 else f"{scaled:.0f} {unit}"


def seconds(value: float) -> str:
    return _scaled(value, ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))) if value > 0 else "0 s"


def size(value: float) -> str:
    return _scaled(value, ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))) if value else "0 B"


def counted(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
