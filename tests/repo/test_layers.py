"""Who may include whom: the table of docs/architecture.md, held against the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo.tree import CPP_SUFFIXES, ROOT, SRC, files, name, without_comments

# A folder stands for all its headers, a file for itself alone.
MAY_INCLUDE = {
    "base": [],
    "ops": ["base"],
    "program": ["base", "ops"],
    "record": ["base", "ops", "program", "runtime/platform.hpp"],
    "rewrite": ["base", "ops", "program"],
    "fuse": ["base", "ops", "program", "runtime/platform.hpp"],
    "plan": ["base", "ops", "program", "fuse/partition.hpp"],
    "simd": ["base", "ops"],
    "runtime": ["base"],
    "exec": [
        "base",
        "ops",
        "program",
        "plan/loop_plan.hpp",
        "simd/tables/extremes.hpp",
        "simd/tables/kernels.hpp",
        "simd/tables/running_sums.hpp",
        "simd/tables/tiles.hpp",
        "simd/tables/transposes.hpp",
        "runtime",
    ],
    "reference": ["base", "ops", "program", "runtime"],
    "engine": [
        "base",
        "ops",
        "program",
        "record",
        "rewrite",
        "fuse",
        "plan",
        "simd",
        "runtime",
        "exec",
        "reference",
    ],
    "bind": ["base", "ops", "program", "record", "engine"],
}
# Headers from outside that belong to one folder.
PYTHON = re.compile(r"^(Python\.h|structmember\.h|pybind11/|numpy/|frameobject\.h)")
VECTORS = re.compile(r"^(xsimd/|immintrin\.h|[a-z]mmintrin\.h|x86intrin\.h|arm_neon\.h)")
SYSTEM = re.compile(
    r"^((sys|linux|mach)/|(unistd|pthread|sched|signal|time|malloc|fcntl|dlfcn|windows)\.h$)"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)

SOURCES = files("src", suffixes=CPP_SUFFIXES)


def folder(path: Path) -> str:
    return path.relative_to(SRC).parts[0]


def includes(path: Path) -> list[tuple[str, bool]]:
    """Every included name, and whether it is written in quotes."""
    found = INCLUDE.findall(without_comments(path.read_text()))
    return [(quoted or angled, bool(quoted)) for quoted, angled in found]


def allowed(own: str, included: str) -> bool:
    first = included.split("/")[0]
    return first == own or first in MAY_INCLUDE[own] or included in MAY_INCLUDE[own]


def test_every_folder_has_its_law() -> None:
    assert {path.name for path in SRC.iterdir() if path.is_dir()} <= set(MAY_INCLUDE)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_include_directions(path: Path) -> None:
    own = folder(path)
    for included, quoted in includes(path):
        if quoted:
            assert (SRC / included).is_file(), f"{included} is not a path from src/"
            assert allowed(own, included), f"src/{own} may not include {included}"
        else:
            assert own == "bind" or not PYTHON.match(included), f"{included}: only src/bind"
            assert own == "simd" or not VECTORS.match(included), f"{included}: only src/simd"
            asks = "runtime/platform" in name(path)
            assert asks or not SYSTEM.match(included), f"{included}: only src/runtime/platform"


def only_forwards(own: str, text: str) -> bool:
    """Whether a header has nothing but headers of other folders, and so leads around the table."""
    text = without_comments(text)
    included = [quoted for quoted, _ in INCLUDE.findall(text) if quoted]
    declares = any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
    return not declares and any(header.split("/")[0] != own for header in included)


def test_no_header_only_forwards() -> None:
    headers = [path for path in SOURCES if path.suffix == ".hpp"]
    assert headers
    assert not [name(path) for path in headers if only_forwards(folder(path), path.read_text())]
    assert only_forwards("engine", '// Of exec.\n#pragma once\n#include "exec/flags.hpp"\n')


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_only_settings_read_the_environment(path: Path) -> None:
    code = without_comments(path.read_text())
    reads = re.search(r"\b(secure_)?getenv\s*\(|\benviron\b", code)
    assert reads is None or name(path) == "src/base/settings.cpp"


def test_cmake_states_the_same_table() -> None:
    text = (ROOT / "src/CMakeLists.txt").read_text()
    stages = re.findall(r"^hassium_stage\((\w+)(?: USES ([\w ]+))?\)", text, re.M)
    stated = {stage: uses.split() for stage, uses in stages}
    expected = {
        own: sorted({entry.split("/")[0] for entry in entries})
        for own, entries in MAY_INCLUDE.items()
        if own != "bind"
    }
    assert {own: sorted(uses) for own, uses in stated.items()} == expected


def test_architecture_page_states_the_same_table() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `src/(\w+)` \|[^|]*\|([^|]*)\|", text, re.M)
    stated = {own: sorted(re.findall(r"`([\w/.]+)`", uses)) for own, uses in rows}
    assert stated == {own: sorted(entries) for own, entries in MAY_INCLUDE.items()}


def test_the_law_is_noticed_when_broken() -> None:
    assert not allowed("base", "ops/op_info.hpp")
    assert not allowed("plan", "fuse/graph/graph.hpp")
    assert allowed("plan", "fuse/partition.hpp")
    assert PYTHON.match("pybind11/pybind11.h")
    assert VECTORS.match("xsimd/xsimd.hpp")
    assert SYSTEM.match("sys/mman.h")
    assert SYSTEM.match("unistd.h")
