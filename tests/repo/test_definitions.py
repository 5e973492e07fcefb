"""A type has one definition: the linker keeps one instance of each template of types by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from repo.tree import code_only, files, name

_LINE = re.compile(
    r"""^(?:
        (?P<open>(?:inline\s+)?namespace\b(?P<namespace>[^{;=]*)\{)
      | (?P<close>\}\s*(?:;|$))
      | (?P<type>(?:struct|class|union|enum(?:\s+class)?)\s+(?:\[\[.*?\]\]\s*)?
            (?P<name>\w+(?:::\w+)*)(?:\s+final)?\s*(?::[^;]*)?\{)
      | (?:.*[^\s].*\{\s*$)
    )""",
    re.VERBOSE,
)


def defined_types(code: str) -> Iterator[tuple[str, str]]:
    """The types that other files would share by name: (namespace, name), without nested ones."""
    namespaces: list[str] = []
    anonymous = 0
    depth = 0  # braces that are no namespace's
    for line in code.split("\n"):
        found = _LINE.match(line) if depth == 0 else None
        if found and found["open"] is not None:
            # As tests/repo/test_layers.py has it: one namespace a line, closed on one of its own.
            namespaces.append(found["namespace"].strip())
            anonymous += not namespaces[-1]
            continue
        if found and found["close"] is not None and namespaces:
            anonymous -= not namespaces.pop()
            continue
        if found and found["type"] is not None and not anonymous:
            yield "::".join(namespaces), found["name"]
        depth += line.count("{") - line.count("}")


def test_a_type_is_defined_in_one_file() -> None:
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in files("src", suffixes={".cpp", ".hpp"}):
        for found in defined_types(code_only(path.read_text())):
            places[found].add(name(path))
    assert len(places) > 300
    twice = {"::".join(key): sorted(where) for key, where in places.items() if len(where) > 1}
    assert not twice, twice


def test_definitions_are_found() -> None:
    code = """
namespace a {
struct One {
    struct Inside {};
};
namespace {
struct Own {};
}
namespace b {
template <class T>
class Two final : public One {
};
struct Declared;
}
enum class Three : int { X };
int f() { return 0; }
}
"""
    assert list(defined_types(code)) == [("a", "One"), ("a::b", "Two"), ("a", "Three")]
