"""Code of one architecture stands where its compiler alone sees it.

Intrinsics and builtins of x86-64 are between `#if` with a level or a macro of that architecture and
the form of all others (docs/porting.md). A branch that no such condition opens, an `#else` among
them, is compiled everywhere. Intrinsics of NEON are in the folder of its level.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo.tree import CPP_SUFFIXES, files, name, without_comments

SOURCES = files("src", "tests/cpp", suffixes=CPP_SUFFIXES)
X86 = re.compile(
    r"\b(?:_mm\d*_\w+|__m(?:64|128|256|512)[di]?|__mmask\d+|_pdep_\w+|_cvts[sh]_s[sh]|__get_cpuid"
    r"|__builtin_ia32_\w+|__builtin_cpu_\w+)\b|<(?:[a-z]+intrin|cpuid)\.h>"
)
NEON = re.compile(
    r"\bv[a-z]+\d*q?_(?:[a-z]\w*_)?[fsup]\d+\b|\b(?:u?int|float)\d+x\d+_t\b|<arm_\w+\.h>"
)
# A condition that only x86-64 meets.
GUARD = re.compile(
    r"(?<!!defined\()(?:HS_SIMD_LEVEL\s*(?:==|>=)\s*[234]|HS_HAVE_V[234]"
    r"|\b__(?:AVX|SSE|F16C|FMA|x86_64))"
)
DIRECTIVE = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")


def unguarded(text: str) -> list[tuple[int, str]]:
    """Line and word of what only x86-64 has and every compiler sees."""
    found: list[tuple[int, str]] = []
    branches: list[bool] = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if match := DIRECTIVE.match(line):
            word, condition = match.groups()
            guards = word != "ifndef" and GUARD.search(condition) is not None
            if word.startswith("if"):
                branches.append(guards)
            elif word == "endif":
                branches.pop()
            else:
                branches[-1] = guards
        elif not any(branches):
            found += [(number, match.group()) for match in X86.finditer(line)]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_code_of_one_architecture_is_guarded(path: Path) -> None:
    assert unguarded(path.read_text()) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_intrinsics_of_neon_are_in_the_folder_of_the_level(path: Path) -> None:
    assert name(path).startswith("src/simd/neon/") or not NEON.search(path.read_text())


def test_unguarded_code_is_noticed() -> None:
    level = "#if HS_SIMD_LEVEL == 4\n_mm512_add_pd(a, b);\n#else\n{}\n#endif\n"
    assert unguarded(level.format("a + b;")) == []
    assert unguarded(level.format("_mm_add_pd(a, b);")) == [(4, "_mm_add_pd")]
    assert unguarded("#include <immintrin.h>\n") == [(1, "<immintrin.h>")]
    assert unguarded("#ifdef __F16C__\n#include <immintrin.h>\n#endif\n__m128i x;\n") == [
        (4, "__m128i")
    ]
    for word in ("vaddq_f32(a, b)", "vget_low_u8(a)", "vcvtq_s32_f32(a)", "uint8x16_t a;"):
        assert NEON.search(word)
