"""The tables of docs/architecture.md name every way in which a result is computed or moved."""

from __future__ import annotations

import re

from repo.tree import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text()
SECTION = PAGE.partition("## Every way in which a result is computed or moved")[2]
SECTION = SECTION.partition("\n## ")[0]

# What touches the elements of arrays: kernels, and memory that the bindings write.
TOUCHES = re.compile(
    r"\bkernels\(\)|\bfilled_view\(|\bready_data\("
    r"|\bstd::mem(?:cpy|move|set)\(address\("
)
# Files that do so and are no way of their own, with the reason.
PARTS = {
    "src/exec/compile": "chooses the kernels of a block",
    "src/engine/check_settings.cpp": "sets the instruction set",
    "src/bind/array/array_memory.cpp": "gives others the memory of an array",
    "src/bind/create/array_join.cpp": "stores a Python number",
    "src/bind/create/array_lists.cpp": "stores Python numbers",
    "src/bind/numpy/array_foreign.cpp": "takes a copy of NumPy's array",
    "src/bind/ufunc/ufunc_call.cpp": "stores a truth value",
}


def tables() -> list[list[list[str]]]:
    """The cells of every table of the section, without its head."""
    found = []
    for lines in re.findall(r"(?:^\|[^\n]*\n)+", SECTION, re.M):
        rows = [
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in lines.splitlines()
        ]
        found.append(rows[2:])
    return found


def named_in(row: list[str]) -> list[str]:
    return re.findall(r"`(src/[\w/.]+|python/[\w/.]+)`", row[1])


def test_the_tables_have_few_rows() -> None:
    ways, triggers, plans = tables()
    assert len(ways) <= 15
    assert len(triggers) <= 5
    assert len(plans) <= 4
    assert "in one of three ways" in SECTION


def test_every_file_that_touches_elements_is_in_a_table() -> None:
    ways = [name for row in tables()[0] for name in named_in(row)]
    known = tuple(ways) + tuple(PARTS)
    touching = [
        path.relative_to(ROOT).as_posix()
        for folder in ("bind", "engine", "exec", "plan", "fuse", "record", "rewrite")
        for path in sorted((ROOT / "src" / folder).rglob("*.[ch]pp"))
        if TOUCHES.search(path.read_text()) and path.name != "array_parts.hpp"
    ]
    assert touching
    assert [path for path in touching if not path.startswith(known)] == []
    unused = [name for name in PARTS if not any(path.startswith(name) for path in touching)]
    assert unused == []


def test_the_functions_of_the_tables_exist() -> None:
    sources = "\n".join(
        path.read_text()
        for path in sorted((ROOT / "src").rglob("*.[ch]pp"))
        if "simd" not in path.parts
    )
    names = {
        name
        for table in tables()[1:]
        for row in table
        for name in re.findall(r"`(?:\w+::)?(\w+)`", row[1])
    }
    assert names
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\(", sources)] == []
