"""The table of operations is the only place that tells operations apart: others ask its rows."""

from __future__ import annotations

import re

import pytest

from repo.tree import CPP_SUFFIXES, files, name, without_comments

# Kernels are chosen and computed by name: that is what these are for.
KERNELS = ("src/ops/", "src/simd/", "src/reference/")
EXEMPT = {
    "src/program/program.hpp": "del and sync are what a program itself is made of",
    "src/exec/single/moves_at.cpp": "chooses a loop",
    "src/engine/eager.cpp": "runs a request by what its row needs",
}

COMPARISON = re.compile(r"(?:[!=]=\s*Op::\w+)|(?:\bcase\s+Op::\w+)|(?:\bOpClass::\w+)")

SOURCES = [
    path
    for path in files("src", suffixes=CPP_SUFFIXES)
    if not name(path).startswith(KERNELS) and name(path) not in EXEMPT
]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_rows_are_asked(path):
    code = without_comments(path.read_text())
    # An operator's row is a macro's argument there, and comes from src/ops/operators.def.
    found = [m.group() for m in COMPARISON.finditer(code) if m.group() != "case Op::row"]
    assert not found, f"{name(path)} tells operations apart: {found}"
