"""Files of at most 800 lines, functions of at most 100, folders of at most 28 files.

The extension has at most 20 MB.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo.tree import CPP_SUFFIXES, ROOT, code_only, files, name

FILE_LINES = 800
FUNCTION_LINES = 100
EXTENSION_BYTES = 20 * 2**20
FOLDER_FILES = 28
FOLDERS = ("src", "python", "tests", "benchmarks", "cmake")

# The op table is one row an operation, and a stub one line a name: long is what they are for.
EXEMPT = re.compile(r"(^src/ops/ops\.def|\.pyi)$")

ALL = [
    path
    for path in files(*FOLDERS, suffixes=CPP_SUFFIXES | {".py", ".pyi", ".cmake"})
    if not EXEMPT.search(name(path))
]
CPP = [path for path in ALL if path.suffix in CPP_SUFFIXES]
PYTHON = [path for path in ALL if path.suffix == ".py"]

TEMPLATE = re.compile(r"\btemplate\s*<")
TYPE_OR_NAMESPACE = re.compile(r"\b(namespace|class|struct|union|enum)\b")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", re.M)


def without_template_heads(head: str) -> str:
    """A declaration's head without `template <...>`, whose parameters name classes too."""
    while match := TEMPLATE.search(head):
        depth, end = 1, match.end()
        while depth and end < len(head):
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[: match.start()] + head[end:]
    return head


def matching_brace(code: str, start: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """Head and number of lines of every function, and of every macro of several lines.

    A brace opens a function where it stands in no function and the text since the last `;` or
    brace has a parameter list and names neither a type nor a namespace. A brace that follows a
    name without a space initialises: the format of the tree puts a space before a body.
    """
    for macro in DEFINE.finditer(text):
        yield f"#define {macro.group(1)}", macro.group().count("\n") + 1
    code = code_only(text)
    at = head_start = 0
    while match := re.compile(r"[;{}]").search(code, at):
        at = match.end()
        if match.group() == "{" and re.match(r"[\w>\])]", code[match.start() - 1]):
            at = matching_brace(code, match.start()) + 1
            continue
        if match.group() == "{":
            head = code[head_start : match.start()]
            plain = without_template_heads(head)
            if "(" in plain and not TYPE_OR_NAMESPACE.search(plain.split("(")[0]):
                begin = head_start + len(head) - len(head.lstrip())
                at = matching_brace(code, match.start()) + 1
                yield " ".join(head.split())[:80], code.count("\n", begin, at) + 1
        head_start = at


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def too_long(functions: Iterator[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(head, lines) for head, lines in functions if lines > FUNCTION_LINES]


@pytest.mark.parametrize("path", ALL, ids=name)
def test_file_size(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", CPP, ids=name)
def test_cpp_function_sizes(path: Path) -> None:
    assert too_long(cpp_functions(path.read_text())) == []


@pytest.mark.parametrize("path", PYTHON, ids=name)
def test_python_function_sizes(path: Path) -> None:
    assert too_long(python_functions(path.read_text())) == []


def test_the_scan_sees_functions() -> None:
    text = """
    #define TWO(a) \\
        a
    namespace x { struct Y { int f() const { return '{'; } int g{0}; };
    template <class T, class U = int>
    auto h(T t) -> int {
        if (t) { return 1; }  // }
        return R"({)"[0];
    }
    constexpr int kTable[] = {1, 2};
    Y::Y(int a)
        : g{a}, k(2) {
        run([] { return 1; });
    }
    }
    """
    assert list(cpp_functions(text)) == [
        ("#define TWO", 2),
        ("int f() const", 1),
        ("template <class T, class U = int> auto h(T t) -> int", 5),
        ("Y::Y(int a) : g{a}, k(2)", 4),
    ]
    assert list(python_functions("def f():\n    return (\n        1\n    )\n")) == [("f", 4)]
    assert too_long(iter([("f", FUNCTION_LINES + 1)])) == [("f", FUNCTION_LINES + 1)]


def test_extension_size() -> None:
    core = importlib.import_module("hassium._core")
    assert core.__file__ is not None
    assert Path(core.__file__).stat().st_size <= EXTENSION_BYTES


def test_folders_show_their_structure() -> None:
    held = Counter(path.parent.relative_to(ROOT).as_posix() for path in ALL)
    assert {folder: n for folder, n in held.items() if n > FOLDER_FILES} == {}
